// Package terminal is what the command line needs of the system it is typed on: a console to print to, and a way to forget
// what was typed too early.
package terminal
