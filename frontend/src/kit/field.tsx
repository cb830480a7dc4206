import { ChevronDown, Search } from "lucide-react";
import { createContext, use, useEffect, useId, useRef, useState, type ComponentPropsWithRef, type ReactNode } from "react";
import { cx } from "./cx";
import css from "./field.module.css";

interface FieldIds {
  id: string;
  describedBy?: string;
  broken: boolean;
}

const InField = createContext<FieldIds | null>(null);

/** The ids by which a control of one's own joins the field around it. */
export const useField = (): FieldIds | null => use(InField);

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** At the right of the label: "required". */
  mark?: string;
  below?: ReactNode;
  /** What is wrong, in words. */
  fault?: string | readonly string[];
  id?: string;
  children: ReactNode;
}

export function Field({ label, hint, mark, below, fault, id, children }: FieldProps) {
  const own = useId();
  const control = id ?? own;
  const faults = typeof fault === "string" ? (fault ? [fault] : []) : (fault ?? []);
  const described = [hint && `${control}-hint`, below && `${control}-below`, faults.length > 0 && `${control}-fault`].filter(Boolean).join(" ");
  return (
    <div className={css.field}>
      <div className={css.head}>
        <label htmlFor={control}>{label}</label>
        {hint && <span className={css.hint} id={`${control}-hint`}>{hint}</span>}
        {mark && <span className={css.mark}>{mark}</span>}
      </div>
      <InField value={{ id: control, describedBy: described || undefined, broken: faults.length > 0 }}>{children}</InField>
      {below && <div className={css.below} id={`${control}-below`}>{below}</div>}
      <div id={`${control}-fault`} aria-live="polite">{faults.map((one) => <p key={one} className={css.fault}>{one}</p>)}</div>
    </div>
  );
}

export interface InputProps extends ComponentPropsWithRef<"input"> {
  mono?: boolean;
}

export function Input({ mono, className, ...rest }: InputProps) {
  const field = useField();
  return <input id={field?.id} aria-describedby={field?.describedBy} aria-invalid={field?.broken || undefined} autoComplete="off" spellCheck={false} {...rest} className={cx(css.input, mono && css.mono, className)} />;
}

export interface TextAreaProps extends ComponentPropsWithRef<"textarea"> {
  mono?: boolean;
}

export function TextArea({ mono, className, ...rest }: TextAreaProps) {
  const field = useField();
  return <textarea id={field?.id} aria-describedby={field?.describedBy} aria-invalid={field?.broken || undefined} {...rest} className={cx(css.input, css.area, mono && css.mono, className)} />;
}

export interface SearchBoxProps {
  value: string;
  onChange(value: string): void;
  label: string;
  placeholder?: string;
  /** What stands at its end: a shortcut. */
  children?: ReactNode;
  onKeyDown?: ComponentPropsWithRef<"input">["onKeyDown"];
  ref?: ComponentPropsWithRef<"input">["ref"];
}

/** Escape empties it first, and leaves it to others when it is empty. */
export function SearchBox({ value, onChange, label, placeholder = label, children, onKeyDown, ref }: SearchBoxProps) {
  return (
    <div className={css.search} role="search">
      <Search aria-hidden />
      <input ref={ref} type="search" value={value} aria-label={label} placeholder={placeholder} autoComplete="off" spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value !== "") {
            event.stopPropagation();
            onChange("");
          }
          onKeyDown?.(event);
        }} />
      {children}
    </div>
  );
}

export interface ComboboxProps {
  value: string;
  onChange(value: string): void;
  choices: readonly string[];
  placeholder?: string;
  mono?: boolean;
  disabled?: boolean;
}

/** A text with suggestions: any text is allowed, the list only helps. */
export function Combobox({ value, onChange, choices, placeholder, mono, disabled }: ComboboxProps) {
  const field = useField();
  const list = useId();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState(false);
  const [at, setAt] = useState(-1);
  const active = useRef<HTMLDivElement>(null);
  const shown = typed ? choices.filter((choice) => choice.toLowerCase().includes(value.toLowerCase())) : choices;
  const visible = open && shown.length > 0;
  useEffect(() => {
    active.current?.scrollIntoView?.({ block: "nearest" }); // newer engines give a promise, which is no clean-up
  }, [at]);

  const pick = (choice: string) => {
    onChange(choice);
    setOpen(false);
    setTyped(false);
  };
  const show = () => {
    if (open) return;
    setOpen(true);
    setTyped(false);
    setAt(choices.indexOf(value));
  };

  return (
    <div className={css.combo}>
      <input id={field?.id} role="combobox" aria-expanded={visible} aria-controls={list} aria-autocomplete="list" aria-describedby={field?.describedBy}
        aria-activedescendant={visible && at >= 0 ? `${list}-${at}` : undefined} className={cx(css.input, mono && css.mono)} value={value} placeholder={placeholder} disabled={disabled}
        autoComplete="off" spellCheck={false} onFocus={show} onClick={show} onBlur={() => setOpen(false)}
        onChange={(event) => {
          onChange(event.target.value);
          setTyped(true);
          setOpen(true);
          setAt(-1);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            if (!visible) return show();
            const by = event.key === "ArrowDown" ? 1 : -1;
            setAt((at + by + shown.length) % shown.length);
          } else if (event.key === "Enter" && visible && shown[at] !== undefined) {
            event.preventDefault();
            pick(shown[at]);
          } else if (event.key === "Escape" && visible) {
            event.preventDefault();
            event.stopPropagation();
            setOpen(false);
          }
        }} />
      <ChevronDown aria-hidden />
      {visible && (
        <div className={css.list} role="listbox" id={list}>
          {shown.map((choice, n) => (
            <div key={choice} id={`${list}-${n}`} role="option" aria-selected={n === at} ref={n === at ? active : undefined} className={css.choice}
              onPointerDown={(event) => event.preventDefault()} onClick={() => pick(choice)} onPointerMove={() => setAt(n)}>
              {choice}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
