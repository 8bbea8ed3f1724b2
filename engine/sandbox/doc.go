// Package sandbox owns processes: it starts, confines and kills everything that
// runs on a copy of the user's project. It owns no files; who makes copies and
// who deletes them is the shadow's business.
//
// A Cell is one supervisor, our own binary re-executed, together with all that
// it started. Three kinds of process take part:
//
//   - we hold the cell's control socket, and for each command its leash, a
//     socket of its own;
//   - the supervisor makes the namespaces and mounts and forks a launcher for
//     each command;
//   - the launcher puts the restrictions on one of its threads, starts the
//     command from that thread, and ends the command's whole process tree.
//
// What holds in every tier:
//
//   - Nothing outlives its owner. When we close a leash, or are killed, the
//     launcher ends its tree; when we close the control socket, or are killed,
//     the supervisor ends; when the supervisor is killed, each launcher sees it.
//   - A process tree can't escape its launcher: orphans come back to it, by a PID
//     namespace of its own in isolated, as a child subreaper elsewhere. When a
//     command manages to kill its launcher, the orphans come to the supervisor,
//     which kills every child that is no launcher.
//   - Process.Wait returns after the last process of the tree is dead, because the
//     supervisor says so only after it has reaped the launcher.
//   - Commands see a clean environment, a private home and private temporary
//     files, never the user's variables or terminal.
//
// The tiers differ in what the kernel refuses; see Tier. Which one is to be had
// is found by really trying the forbidden things, see Probe and Choose, never by
// version numbers.
//
// What commands may read is a list: the system's own folders, the tree, the tool
// chains that the environment names, and what the caller adds. In isolated the rest
// is not there, in confined Landlock refuses it. The home folder and its keys are
// never on the list.
//
// A tree may have layers: then nothing is copied, and a Switch costs the same for
// every size of tree. See Tree and ErrNoLayers.
//
// What was refused of what a test may want for itself is told with the end of the
// command, as a program that was refused something may say no more than that it was
// not permitted. See command.Exit.Refused.
//
// A launcher looks at what its tree takes, and ends what takes too much memory or
// is too many processes or fills the disk; Exit.Over says so.
package sandbox
