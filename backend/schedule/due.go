package schedule

import "time"

// Late is how far past its due time a run still counts as on time (loca-notes.md, 8); later, it was missed.
const Late = 10 * time.Minute

// Decision is what to do about a schedule at a moment.
type Decision struct {
	Run    bool      // run it now, once Next is on disk
	Due    time.Time // the last due time that was reached; zero when none was
	Next   time.Time // what comes after it; zero when nothing does
	Missed int64     // due times up to Due that are not run; at most those of a year and one are counted, intervals all
}

// Decide says what to do about a schedule whose stored next due time is due. It answers for a due time once: whoever
// stores Next before running gets no due time twice, even when the clock is set back, as what lies before Next is done
// with. However many due times went by, there is one run at most: on time, or to make up for what was missed.
func (r Recurrence) Decide(due, now time.Time, runMissed bool, in *time.Location) Decision {
	if due.IsZero() || now.Before(due) {
		return Decision{Next: due}
	}
	last, next, passed := r.following(due, now, in)
	d := Decision{Run: true, Due: last, Next: next, Missed: passed}
	if now.Sub(last) > Late && !runMissed {
		d.Run = false
		d.Missed++
	}
	return d
}
