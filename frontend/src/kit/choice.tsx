import { Check, ChevronDown } from "lucide-react";
import { Select as RadixSelect, Switch as RadixSwitch, ToggleGroup } from "radix-ui";
import { cx } from "./cx";
import css from "./choice.module.css";

export interface SwitchProps {
  on: boolean;
  onChange(on: boolean): void;
  /** What it switches, for who does not see what stands beside it. */
  label: string;
  disabled?: boolean;
  id?: string;
  describedBy?: string;
}

export function Switch({ on, onChange, label, disabled, id, describedBy }: SwitchProps) {
  return (
    <RadixSwitch.Root id={id} className={css.switch} checked={on} onCheckedChange={onChange} aria-label={label} aria-describedby={describedBy} disabled={disabled}
      onClick={(event) => event.stopPropagation()}>
      <RadixSwitch.Thumb className={css.knob} />
    </RadixSwitch.Root>
  );
}

export interface Choice<V extends string> {
  value: V;
  label: string;
}

export interface SegmentedProps<V extends string> {
  value: V | undefined;
  choices: readonly Choice<V>[];
  onChange(value: V): void;
  label: string;
  disabled?: boolean;
  id?: string;
}

/** A few choices side by side, one of them chosen. */
export function Segmented<V extends string>({ value, choices, onChange, label, disabled, id }: SegmentedProps<V>) {
  return (
    <ToggleGroup.Root id={id} type="single" className={css.segmented} value={value ?? ""} aria-label={label} disabled={disabled}
      onValueChange={(next) => next && onChange(next as V)}>
      {choices.map((choice) => (
        <ToggleGroup.Item key={choice.value} value={choice.value} className={css.segment}>{choice.label}</ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

export interface SelectProps<V extends string> {
  value: V | undefined;
  choices: readonly Choice<V>[];
  onChange(value: V): void;
  label?: string;
  placeholder?: string;
  small?: boolean;
  wide?: boolean;
  broken?: boolean;
  disabled?: boolean;
  id?: string;
  describedBy?: string;
}

/** One of many. A value may be any text but the empty one. */
export function Select<V extends string>({ value, choices, onChange, label, placeholder, small, wide, broken, disabled, id, describedBy }: SelectProps<V>) {
  return (
    <RadixSelect.Root value={value ?? ""} onValueChange={(next) => onChange(next as V)} disabled={disabled}>
      <RadixSelect.Trigger id={id} aria-label={label} aria-describedby={describedBy} aria-invalid={broken || undefined}
        className={cx(css.select, small && css.small, wide && css.wide, broken && css.broken)}>
        <RadixSelect.Value placeholder={placeholder} />
        <RadixSelect.Icon asChild><ChevronDown aria-hidden /></RadixSelect.Icon>
      </RadixSelect.Trigger>
      <RadixSelect.Portal>
        <RadixSelect.Content className={css.options} position="popper" sideOffset={4} collisionPadding={8}>
          <RadixSelect.Viewport>
            {choices.map((choice) => (
              <RadixSelect.Item key={choice.value} value={choice.value} className={css.option}>
                <span className={css.tick}><RadixSelect.ItemIndicator><Check aria-hidden /></RadixSelect.ItemIndicator></span>
                <RadixSelect.ItemText>{choice.label}</RadixSelect.ItemText>
              </RadixSelect.Item>
            ))}
          </RadixSelect.Viewport>
        </RadixSelect.Content>
      </RadixSelect.Portal>
    </RadixSelect.Root>
  );
}
