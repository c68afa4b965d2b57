import type { ChangeEvent } from 'react';

/** The value of an input, and what is called with each change of it. */
export function inputProps(value: string, onChange: (value: string) => void) {
  return {
    value,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      onChange(event.currentTarget.value),
  };
}

/** The state of a checkbox, and what is called with each change of it. */
export function checkboxProps(checked: boolean, onChange: (isChecked: boolean) => void) {
  return { checked, onChange: (event: ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.checked) };
}

/** For addresses, codes and names of programs, which a browser must not correct. */
export const AS_TYPED = { autoCapitalize: 'none', spellCheck: false };

/** A time as the value of an `<input type="datetime-local">`, in the time zone of the reader. */
export function localTime(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
