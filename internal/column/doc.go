// Package column reaches the columns of arche's tables as slices, and compares values as memory.
//
// Arche (0.15) exports no columns, but everything that is needed to reach them. In the core this is
// the only package over arche that uses package unsafe.
package column
