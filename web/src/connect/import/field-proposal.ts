import type { Field } from '../../api/endpoints.ts';
import {
  CHOICE_SEPARATOR,
  completeDefinition,
  dayOf,
  definitionIssues,
  FILE_TYPE_NAMES,
  FILE_TYPES,
  FIRST_TYPED,
  FieldDefinitionInput,
  isDay,
  LAST_TYPED,
  MAX_FILES,
  reasonIn,
  safeParse,
} from '../../schema-editor/draft/rules.ts';
import { reasonText } from '../../texts/reasons.ts';
import { t } from '../../texts/texts.ts';
import type { ParsedControl } from './parse-form.ts';

/** A field definition for the controls of one name, with notes for the site owner. */
interface FieldProposal {
  definition: Field;
  notes: string[];
}

interface Draft {
  options: Record<string, unknown>;
  notes: string[];
}

const MAX_LABEL = 200;
const TRUE_TEXTS = /^(?:on|true|1|yes)$/i;

/** Proposes the definition of a field for the controls that send it. */
export function proposeField(key: string, controls: readonly ParsedControl[]): FieldProposal {
  const { options, notes } = draftFor(controls);
  const shown = controls.find(({ type }) => type !== 'hidden') ?? controls[0];
  const isGroup = shown?.type === 'radio' || options.kind === 'array' || options.kind === 'multiselect';
  const label = (isGroup ? shown?.legend : shown?.label) || readable(key);
  const required = controls.some(({ attributes }) => attributes.required !== undefined);
  return valid({ key, label: label.slice(0, MAX_LABEL), required, ...options }, notes);
}

function draftFor(controls: readonly ParsedControl[]): Draft {
  const [first] = controls;
  const visible = controls.filter(({ type }) => type !== 'hidden');
  const [control] = visible;
  if (!control) return hidden(first);
  if (control.type === 'file') return files(visible);
  if (control.type === 'radio' || control.type === 'select') return choice(visible);
  if (isGroup(visible)) return severalChoices(visible, controls);
  if (control.type === 'checkbox' && visible.length === 1) return checkbox(control, controls);
  if (visible.length > 1) {
    return { options: { kind: 'array' }, notes: [t.connect.import.severalValues] };
  }
  return single(control);
}

function hidden(control: ParsedControl | undefined): Draft {
  const value = control?.value ?? '';
  return { options: { kind: 'text', hidden: true, ...(value !== '' && { default: value }) }, notes: [] };
}

/** The types of files by the attribute `accept`: extensions, or media types such as `image/*`. */
function files(controls: readonly ParsedControl[]): Draft {
  const accepted = controls.flatMap(({ attributes }) => (attributes.accept ?? '').toLowerCase().split(/\s*,\s*/));
  const types = FILE_TYPE_NAMES.filter((type) => {
    const { extensions, mediaType } = FILE_TYPES[type];
    const [group] = mediaType.split('/');
    const names = [mediaType, `${group}/*`, ...extensions.map((extension) => `.${extension}`)];
    return accepted.some((one) => names.includes(one.trim()));
  });
  const isMany = controls.length > 1 || controls.some(({ attributes }) => attributes.multiple !== undefined);
  return {
    options: {
      kind: 'file',
      types: types.length > 0 ? types : ['pdf', 'png', 'jpeg'],
      ...(isMany && { maxFiles: MAX_FILES }),
    },
    notes: types.length > 0 ? [] : [t.connect.import.file],
  };
}

function checkbox({ value, attributes }: ParsedControl, all: readonly ParsedControl[]): Draft {
  const isChecked = attributes.checked !== undefined;
  const notes: string[] = [];
  if (attributes.value !== undefined && !TRUE_TEXTS.test(value)) {
    notes.push(t.connect.import.changeValue(value));
  }
  if (!all.some(({ type }) => type === 'hidden')) {
    notes.push(t.connect.import.hiddenFalse);
  }
  return { options: { kind: 'checkbox', ...(isChecked && { default: true }) }, notes };
}

/** Whether the controls of one name offer several choices. */
function isGroup(visible: readonly ParsedControl[]): boolean {
  const [control] = visible;
  if (control?.type === 'select-multiple') return visible.length === 1;
  if (!visible.every(({ type }) => type === 'checkbox')) return false;
  return visible.length > 1 || (control?.name.endsWith('[]') === true && !TRUE_TEXTS.test(boxValue(control)));
}

/** The value of a checkbox of a group; one without a value is given its label. */
export function boxValue({ attributes, label, value }: ParsedControl): string {
  return attributes.value === undefined ? label || 'on' : value;
}

function severalChoices(visible: readonly ParsedControl[], all: readonly ParsedControl[]): Draft {
  const isList = visible[0]?.type === 'select-multiple';
  const offered = isList
    ? (visible[0]?.options ?? [])
    : visible.map((box) => ({
        value: boxValue(box),
        label: box.label,
        isSelected: box.attributes.checked !== undefined,
      }));
  const choices = offered.filter(({ value }) => value !== '');
  if (choices.length === 0 || choices.some(({ value }) => value.includes(CHOICE_SEPARATOR))) {
    return { options: { kind: 'array' }, notes: [t.connect.import.severalValues] };
  }
  const initial = choices.filter(({ isSelected }) => isSelected).map(({ value }) => value);
  const notes: string[] = [];
  if (!isList && visible.some(({ attributes }) => attributes.value === undefined)) {
    notes.push(t.connect.import.giveValues);
  }
  if (!isList && needsNone(all)) {
    notes.push(t.connect.import.hiddenNone);
  }
  return {
    options: {
      kind: 'multiselect',
      ...choiceOptions(choices),
      ...(initial.length > 0 && { default: [...new Set(initial)] }),
    },
    notes,
  };
}

/** Whether a form that sends no box should send an empty text. A required field is never empty. */
export function needsNone(controls: readonly ParsedControl[]): boolean {
  return !controls.some(({ type, attributes }) => type === 'hidden' || attributes.required !== undefined);
}

function choice(controls: readonly ParsedControl[]): Draft {
  const [first] = controls;
  const isRadio = first?.type === 'radio';
  const all = isRadio
    ? controls.map(({ value, attributes, label }) => ({
        value: attributes.value === undefined ? 'on' : value,
        label,
        isSelected: attributes.checked !== undefined,
      }))
    : (first?.options ?? []);
  const choices = all.filter(({ value }) => value !== '');
  const placeholder = isRadio ? undefined : all.find(({ value }) => value === '')?.label;
  if (choices.length === 0) return { options: { kind: 'text' }, notes: [t.connect.import.noOptions] };
  return {
    options: {
      kind: 'select',
      ...choiceOptions(choices),
      ...(isRadio && { ui: 'radio' }),
      ...(placeholder && { placeholder }),
      default: choices.find(({ isSelected }) => isSelected)?.value,
    },
    notes: [],
  };
}

function choiceOptions(choices: ParsedControl['options']): Record<string, unknown> {
  const labels = choices.filter(({ value, label }) => label !== '' && label !== value);
  return {
    enum: [...new Set(choices.map(({ value }) => value))],
    ...(labels.length > 0 && { enumLabels: Object.fromEntries(labels.map(({ value, label }) => [value, label])) }),
  };
}

function single(control: ParsedControl): Draft {
  const { type, attributes, value } = control;
  const common = {
    placeholder: attributes.placeholder || undefined,
    autocomplete: attributes.autocomplete && attributes.autocomplete !== 'on' ? attributes.autocomplete : undefined,
    default: value === '' ? undefined : value,
  };
  switch (type) {
    case 'number':
    case 'range': {
      const initial = value === '' ? undefined : Number(value);
      const bounds = { min: numberOf(attributes.min), max: numberOf(attributes.max) };
      return { options: { kind: 'number', ...bounds, ...common, default: initial }, notes: [] };
    }
    case 'date':
    case 'datetime-local': {
      const { placeholder: _, ...others } = common;
      const bounds = { earliest: dayIn(attributes.min, FIRST_TYPED), latest: dayIn(attributes.max, LAST_TYPED) };
      const notes = type === 'date' ? [] : [t.connect.import.noZone];
      return { options: { kind: 'date', ...bounds, ...others }, notes };
    }
    default:
      return text(control, common);
  }
}

/** The day of a bound of HTML, unless it is that of each form. */
function dayIn(bound = '', ofEachForm: string): string | undefined {
  const day = dayOf(bound);
  return isDay(day) && day !== ofEachForm ? day : undefined;
}

const TEXT_CONTROLS = new Set(['textarea', 'tel', 'url', 'email', 'time']);

function text({ type, attributes }: ParsedControl, common: Record<string, unknown>): Draft {
  const { minlength, maxlength, pattern } = attributes;
  return {
    options: {
      kind: 'text',
      minLength: numberOf(minlength),
      maxLength: numberOf(maxlength),
      // HTML matches the whole text.
      regex: pattern === undefined ? undefined : `^(?:${pattern})$`,
      ui: TEXT_CONTROLS.has(type) ? type : undefined,
      ...common,
    },
    notes: [],
  };
}

const OPTION_NAMES: Readonly<Record<string, string>> = {
  regex: 'pattern',
  minLength: 'minlength',
  maxLength: 'maxlength',
  default: t.connect.import.initialValue,
};

/** Leaves out the options that the rules of schemas refuse, with a note. */
function valid(draft: Record<string, unknown>, notes: string[]): FieldProposal {
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
  const problem = problemOf(given);
  if (!problem) return { definition: completeDefinition(given as FieldDefinitionInput), notes };
  const { option, message } = problem;
  const { [option]: _, ...others } = given;
  if (!(option in given) || option === 'kind' || option === 'key') return fallback(draft, notes, message);
  return valid(others, [...notes, t.connect.import.withoutOption(OPTION_NAMES[option] ?? option, message)]);
}

function problemOf(given: Record<string, unknown>): { option: string; message: string } | undefined {
  const parsed = safeParse(FieldDefinitionInput, given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    return {
      option: unknown ?? String(issue?.path[0] ?? ''),
      message: issue ? reasonText(reasonIn(issue)) : t.connect.import.invalid,
    };
  }
  const [issue] = definitionIssues([parsed.data]);
  return issue && { option: issue.path.split('.')[2] ?? '', message: reasonText(issue) };
}

function fallback({ key, label }: Record<string, unknown>, notes: string[], message: string): FieldProposal {
  const definition = { key: String(key), label: String(label), kind: 'text', required: false } as const;
  return { definition, notes: [...notes, t.connect.import.becomesText(message)] };
}

function numberOf(value: string | undefined): number | undefined {
  const number = Number(value);
  return value === undefined || value.trim() === '' || !Number.isFinite(number) ? undefined : number;
}

/** `firstName` and `first_name` as `First name`. */
function readable(key: string): string {
  const words = key
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
