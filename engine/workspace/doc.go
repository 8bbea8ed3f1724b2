// Package workspace knows the user's folder: what is in it and how each entry
// gets into a private copy, what no edit may touch, and how a finished patch is
// written to it when the user asked for that.
//
// The folder is read, and written by Apply alone. Nothing is started, git
// included: .gitignore files are read here, by the rules of git.
//
// What is ignored decides how an entry is provided and never whether. Folders
// of dependencies and large ignored folders are shared, everything else is
// copied; only secrets are left out, and they are named. See Scan.
package workspace
