package replay

// Seal makes a file of one chunk with the frames given, and of an index if it is not empty.
func Seal(frames, index []byte) []byte {
	b, _ := appendHeader(nil, Info{Session: Session{Rate: 10}})
	b = seal(b, chunkMark, head{flags: chunkKey, last: 9}, frames, nil, nil)
	if len(index) == 0 {
		return b
	}
	return appendTrailer(seal(b, indexMark, head{}, index, nil, nil), int64(len(b)))
}
