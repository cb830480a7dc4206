package schedule

import (
	"fmt"

	"portico/backend/extension"
)

func badShape(place, what string) *extension.Problem {
	return extension.NewProblem("schedule.not-a-draft", "The schedule can't be read: {place}: {what}.", "Its author has to send a draft as the contract says.", "place", place, "what", what)
}

func noTitle() *extension.Problem {
	return extension.NewProblem("schedule.no-title", "The schedule has no title.", "Give it one; its sessions are called by it.")
}

func longTitle() *extension.Problem {
	return extension.NewProblem("schedule.long-title", "The schedule's title is longer than {limit} characters.", "Shorten it.", "limit", fmt.Sprint(MaxTitle))
}

func noInstruction() *extension.Problem {
	return extension.NewProblem("schedule.no-instruction", "The schedule has no instruction.", "Write what is to be sent when it is due.")
}

func longInstruction() *extension.Problem {
	return extension.NewProblem("schedule.long-instruction", "The schedule's instruction is longer than {limit} characters.", "Shorten it, or put the longer part into a memory.", "limit", fmt.Sprint(MaxInstruction))
}

func badMoment() *extension.Problem {
	return extension.NewProblem("schedule.bad-moment", "That date is beyond what a calendar holds.", "Choose an earlier one.")
}

func badInterval() *extension.Problem {
	return extension.NewProblem("schedule.bad-interval", "A schedule can run once a minute at most.", "Give a whole number of minutes, 1 or more.")
}

func noWeekdays() *extension.Problem {
	return extension.NewProblem("schedule.no-weekdays", "No day of the week is chosen.", "Choose at least one.")
}

func badDay() *extension.Problem {
	return extension.NewProblem("schedule.bad-day", "A month has no such day.", "Give a day from 1 to 31; where a month is shorter, its last day is meant.")
}

func badMonth() *extension.Problem {
	return extension.NewProblem("schedule.bad-month", "There is no such month.", "Give a month from 1 to 12.")
}

func badTime() *extension.Problem {
	return extension.NewProblem("schedule.bad-time", "There is no such time of day.", "Give an hour from 0 to 23 and a minute from 0 to 59.")
}

func missing(id string) *extension.Problem {
	return extension.NewProblem("schedule.missing", "This schedule is not there any more.", "Choose another one.", "schedule", id)
}

func past() *extension.Problem {
	return extension.NewProblem("schedule.past", "That moment has passed.", "Choose a later one.")
}

func tooMany(owner Owner) *extension.Problem {
	if owner.Key == "" {
		return extension.NewProblem("schedule.too-many", "You have {limit} schedules, and there can't be more.", "Remove one that you no longer need.", "limit", fmt.Sprint(MaxPerOwner))
	}
	return extension.NewProblem("schedule.too-many-of-extension", "{extension} has {limit} schedules, and there can't be more.", "Remove one of them that you no longer need.",
		"extension", owner.Name, "limit", fmt.Sprint(MaxPerOwner))
}

func alreadyRunning(title string) *extension.Problem {
	return extension.NewProblem("schedule.running", "{title} is running.", "Wait until it is done, or stop it in its session.", "title", title)
}

func stillRunning() *extension.Problem {
	return extension.NewProblem("schedule.still-running", "It was not run: the run before it was still going on.", "Let it run less often, or ask for less at once.")
}
