package core

import (
	"strings"
	"testing"

	"portico/backend/capability"
)

func TestTheSamplesBringAKnowledgeAndASkillThatTheAgentCanRead(t *testing.T) {
	c := open(t, t.TempDir())
	if _, err := c.Install(t.Context(), InstallRequest{Source: "../../sandbox/extensions/loca-extension-samples"}); err != nil {
		t.Fatal(err)
	}
	all, err := c.Memories(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, item := range all.Items {
		if item.Owner != "Samples" || !item.ReadOnly || item.Problem != nil || item.Summary == "" {
			t.Errorf("got %+v", item)
		}
		kinds[item.Kind] = item.Title
		if _, err := c.SetMemoryEnabled(t.Context(), item.ID, true); err != nil {
			t.Error(err)
		}
	}
	if len(kinds) != 2 {
		t.Fatalf("there are %v", kinds)
	}
	service := c.services().Memories
	if text, err := service.Get(t.Context(), kinds[capability.Knowledge]); err != nil || !strings.Contains(text.Content, "sample_display") {
		t.Errorf("the knowledge is %q, %v", text.Content, err)
	}
	if file, err := service.File(t.Context(), kinds[capability.Skill], "order.md"); err != nil || !strings.Contains(file.Content, "A good order") {
		t.Errorf("the skill's file is %q, %v", file.Content, err)
	}
}
