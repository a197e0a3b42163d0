//go:build !race

package main

// matrixShare: every so many cells of the matrix are played.
const matrixShare = 1
