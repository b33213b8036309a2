package access

// These are the package's internals that external tests use.
const (
	MaxInvitations = maxInvitations
	MaxBans        = maxBans
	MaxResumeIDs   = maxResumeIDs
)
