package access

// What the external tests need of the package's inside.
const (
	MaxInvitations = maxInvitations
	MaxBans        = maxBans
	MaxResumeIDs   = maxResumeIDs
)
