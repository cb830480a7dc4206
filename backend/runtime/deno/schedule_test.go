package deno

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"portico/backend/schedule"
)

func proposing(draft string) string {
	return fmt.Sprintf(`{"member":"schedulePrompt","args":[%s]}`, draft)
}

const report = `{"title":"Report","instruction":"Write it.","runMissed":true,"schedule":{"kind":"weekly","weekdays":[5,1],"hour":9,"minute":0}}`

func TestAToolProposesASchedule(t *testing.T) {
	s := onStage(t, examples+"/members")
	s.works("use_nothing", proposing(report), `{"gave":{"accepted":false}}`) // needs no permission
	s.person.review = func(_ context.Context, draft schedule.Draft) (schedule.Answer, error) {
		draft.Title = "My report"
		return schedule.Answer{Accepted: true, Draft: &draft}, nil
	}
	s.works("use_nothing", proposing(report),
		`{"gave":{"accepted":true,"draft":{"title":"My report","instruction":"Write it.","runMissed":true,"schedule":{"kind":"weekly","weekdays":[1,5],"hour":9,"minute":0}}}}`)
	s.person.review = func(context.Context, schedule.Draft) (schedule.Answer, error) {
		return schedule.Answer{}, errors.New("the disk is full")
	}
	s.works("use_nothing", proposing(report), `{"error":"the disk is full"}`)
	if len(s.person.proposed) != 3 || s.person.proposed[0].Title != "Report" {
		t.Errorf("these were proposed: %+v", s.person.proposed)
	}
}

func TestWhatIsNoDraftIsNotAcceptedAndNobodySeesIt(t *testing.T) {
	s := onStage(t, examples+"/members")
	for _, draft := range []string{
		``, `null`, `7`, `"Report"`, `[]`, `{}`,
		strings.Replace(report, `"Report"`, `""`, 1),
		strings.Replace(report, `"Write it."`, `"`+strings.Repeat("x", 10_001)+`"`, 1),
		strings.Replace(report, `[5,1]`, `[]`, 1),
		strings.Replace(report, `"weekly"`, `"daily"`, 1),
		`{"title":"Report","instruction":"Write it.","schedule":{"kind":"interval","everyMinutes":0}}`,
	} {
		s.works("use_nothing", proposing(draft), `{"gave":{"accepted":false}}`)
	}
	if len(s.person.proposed) != 0 || !s.person.logged("warn: The schedule was not accepted: The schedule has no title.") {
		t.Errorf("these were proposed: %+v; the log is %q", s.person.proposed, s.person.logs)
	}
}

// A form may stay open for a day: another call can take the place of the one that waits.
func TestACallLeavesItsSeatWhileItsScheduleIsReviewed(t *testing.T) {
	s := onStage(t, examples+"/members")
	s.runtime.running = newSlots(1)
	s.person.review = func(context.Context, schedule.Draft) (schedule.Answer, error) {
		got, err := s.call("use_nothing", `{"member":"constructor.name","args":[]}`)
		return schedule.Answer{Accepted: err == nil && got != ""}, err
	}
	s.works("use_nothing", proposing(report), `{"gave":{"accepted":true}}`)
}
