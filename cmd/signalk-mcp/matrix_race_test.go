//go:build race

package main

// The race detector makes the matrix ten times as slow, and each cell runs in one
// goroutine: here a share of them does. It has no divisor in common with the
// number of faults.
const matrixShare = 17
