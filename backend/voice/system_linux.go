package voice

// systemEngines: Linux has none of its own. speech-dispatcher only plays, and what it speaks with is mostly espeak-ng.
func (v *Voice) systemEngines() []engine { return nil }
