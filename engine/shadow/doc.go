// Package shadow keeps private copies of the user's folder: the base, which is
// what a snapshot found and never changes, and forks, in which commands run and
// patches are tried. It owns files and starts nothing.
//
// What must hold:
//   - The user's folder is only read. Files are copied, never hard-linked: a test
//     that opens a file for writing must not reach the original.
//   - The base is what was copied, whatever happens to the user's folder later.
//     Hashes and contents come from the copy. No command runs in the base,
//     unless it has become the last fork.
//   - A fork is base plus a state. Set makes it so again after a run, whatever
//     the run wrote, by comparing every entry with what it was: size, times,
//     inode. A file that is written gets a time of its own, later than any
//     before, or Python would run stale byte code.
//   - The base, when it is small, and layers are in memory as long as that has room
//     for them, where a first copy takes a tenth of the time; else on disk.
//   - Every shadow folder has an owner file that its process holds locked. What
//     can be locked has no owner left, and only that is swept.
package shadow
