// Package kernel draft.
package kernel
