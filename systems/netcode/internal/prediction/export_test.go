package prediction

// Len returns how many members are in.
func (l *histories[T]) Len() int { return len(l.list) }

// Surprised returns how many members were predicted wrongly and wait for a replay.
func (l *histories[T]) Surprised() (n int) {
	for i := range l.list {
		if m := &l.list[i]; m.wrong && !m.fresh {
			n++
		}
	}
	return n
}

// Len returns how many inputs the server has not applied, according to its acknowledgements so far.
func (p *Pending[I]) Len() int { return int(p.next.Sub(p.replay)) }

// Reset removes all inputs. The next id may be any.
func (p *Pending[I]) Reset() { p.restart(p.next) }
