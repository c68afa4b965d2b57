import { isRadio } from '#src/core/fields/base/control-types.ts';
import { labelNodes, marked } from '#src/features/display/marks.ts';
import { offeredChoices } from '#src/features/display/markup.ts';
import { type FormControl as Control, choicesIn } from '../../schema-editor/draft/rules.ts';
import { escapeHtml, nodesHtml, startTag } from './escape.ts';

/** Names that a form gives another meaning, unless they are written as `data[name]`. */
const RESERVED_NAMES = new Set(['email', 'altcha']);

/**
 * The lines of HTML of one field, as a person would write them. Every text is escaped. In a form
 * with conditions `data-field` names the element for the embed script, where a page has it.
 */
export function fieldHtml(control: Control, hasConditions: boolean): string[] {
  const lines = controlHtml({ ...control, required: control.required && control.showIf === undefined });
  if (!hasConditions) return lines;
  const [first = '', ...others] = lines;
  return [first.replace(/^<\w+/, `$& data-field="${control.key}"`), ...others];
}

function controlHtml(control: Control): string[] {
  if (control.hidden || control.source !== undefined) return hiddenInput(control);
  if (control.type === 'checkbox') return checkbox(control);
  if (isRadio(control.type)) return radioButtons(control);
  if (control.type === 'checkboxes') return checkboxes(control);
  return [
    '<p>',
    ...indented([`<label>${label(control)}<br>`, ...input(control), '</label>']),
    ...help(control),
    '</p>',
  ];
}

function nameOf({ key }: Control): string {
  return RESERVED_NAMES.has(key) ? `data[${key}]` : key;
}

/** Without a script, a page cannot fill in its address or a campaign. */
function hiddenInput(control: Control): string[] {
  return [startTag('input', { type: 'hidden', name: nameOf(control), value: control.default ?? '' })];
}

function input(control: Control): string[] {
  const { type, required } = control;
  // For the script of a form of the service.
  const { 'data-max-length': _, ...attributes } = control.attributes;
  const common = { name: nameOf(control), ...attributes, required };
  if (type === 'select') return selectList(control);
  if (type === 'textarea')
    return [`${startTag('textarea', { rows: 5, ...common })}${leadingBreak(control.default)}</textarea>`];
  return [startTag('input', { type: type === 'list' ? 'text' : type, ...common, value: control.default })];
}

/** The parser removes a line break that follows the start tag. */
function leadingBreak(text = ''): string {
  return text.startsWith('\n') ? `\n${escapeHtml(text)}` : escapeHtml(text);
}

function selectList(control: Control): string[] {
  const { placeholder = 'Select an option', ...attributes } = control.attributes;
  const options = control.choices.map(
    ({ value, label: text }) =>
      `${startTag('option', { value, selected: value === control.default })}${escapeHtml(text)}</option>`,
  );
  return [
    startTag('select', { name: nameOf(control), ...attributes, required: control.required }),
    ...indented([`<option value="">${escapeHtml(String(placeholder))}</option>`, ...options]),
    '</select>',
  ];
}

/** An unticked checkbox sends nothing, so a hidden `false` goes first; the last value counts. */
function checkbox(control: Control): string[] {
  const name = nameOf(control);
  const { required } = control;
  const box = startTag('input', {
    type: 'checkbox',
    name,
    value: 'true',
    checked: control.default === 'true',
    required,
  });
  return [
    '<p>',
    ...indented([
      startTag('input', { type: 'hidden', name, value: 'false' }),
      `<label>${box} ${label(control)}</label>`,
      ...consentLink(control),
    ]),
    ...help(control),
    '</p>',
  ];
}

function consentLink({ consent }: Control): string[] {
  if (consent?.url === undefined) return [];
  return [`${startTag('a', { href: consent.url })}${escapeHtml(consent.url.replace(/^https?:\/\//, ''))}</a>`];
}

function radioButtons(control: Control): string[] {
  const name = nameOf(control);
  const { required, ends = {}, choices } = control;
  const buttons = offeredChoices(control).map(({ value, label: text }, index) => {
    const checked = value === control.default;
    const end = index === 0 ? ends.min : index === choices.length - 1 ? ends.max : undefined;
    const shown = end ? `${text} (${end})` : text;
    return `<label>${startTag('input', { type: 'radio', name, value, checked, required })} ${escapeHtml(shown)}</label>`;
  });
  return [
    '<fieldset>',
    ...indented([`<legend>${label(control)}</legend>`, ...buttons]),
    ...help(control),
    '</fieldset>',
  ];
}

/** The empty text goes first, so that a person can remove all choices. */
function checkboxes(control: Control): string[] {
  const name = `${nameOf(control)}[]`;
  const chosen = choicesIn([control.default ?? '']);
  const boxes = control.choices.map(({ value, label: text }) => {
    const checked = chosen.includes(value);
    return `<label>${startTag('input', { type: 'checkbox', name, value, checked })} ${escapeHtml(text)}</label>`;
  });
  const none = startTag('input', { type: 'hidden', name, value: '' });
  return [
    '<fieldset>',
    ...indented([`<legend>${label(control)}</legend>`, none, ...boxes]),
    ...help(control),
    '</fieldset>',
  ];
}

function label(control: Control): string {
  return nodesHtml(labelNodes(control));
}

function help({ help: text, when }: Control): string[] {
  const conditions = [when?.shown, when?.required].filter((words) => words !== undefined);
  const words = conditions.map((one) => `<br><small data-when>${escapeHtml(one)}</small>`);
  return indented([...words, ...(text === undefined ? [] : [`<br><small>${nodesHtml(marked(text))}</small>`])]);
}

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
