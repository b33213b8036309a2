package access

// These constants give external tests the limits of the package.
const (
	MaxInvitations = maxInvitations
	MaxBans        = maxBans
	MaxResumeIDs   = maxResumeIDs
)
