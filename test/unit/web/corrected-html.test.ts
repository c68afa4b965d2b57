import { describe, expect, it } from 'vitest';
import type { FieldDefinition } from '../../../src/core/fields/definition.ts';
import { loadTexts } from '../../../web/src/texts/texts.ts';

await loadTexts();
const { captchaHtml } = await import('../../../web/src/connect/captcha.ts');
const { correctedHtml } = await import('../../../web/src/connect/import/corrected-html.ts');
const { parseForms } = await import('../../../web/src/connect/import/parse-form.ts');
const { proposeFields } = await import('../../../web/src/connect/import/proposal.ts');

const ACTION = 'https://forms.example/v1/forms/app';
const SETTINGS = { origins: [] } as never;

function partsOf(html: string, fields: FieldDefinition[] = [], captcha: string[] = []) {
  const [form] = parseForms(html);
  if (!form) throw new Error('no form');
  const schema = { version: 1, rejectUnknown: false, fields };
  const proposal = proposeFields(form, schema, SETTINGS);
  return { proposal, parts: correctedHtml(html, form, proposal, { action: ACTION, schema, captcha }) };
}

/** The HTML with the changes, and the original of the same parts. */
function correct(html: string, fields: FieldDefinition[] = [], captcha: string[] = []) {
  const { parts, proposal } = partsOf(html, fields, captcha);
  const without = (left: string) => parts.map(({ text, change }) => (change === left ? '' : text)).join('');
  expect(without('added')).toBe(html);
  return { result: without('removed'), proposal };
}

const inForm = (content: string) => `<form action="${ACTION}" method="post"><input name="email">${content}</form>`;

describe('the corrected HTML of a form', () => {
  it('is unchanged when the form can be sent as it is', () => {
    const html = inForm('<input name=name><select name="plan"><option>a</select><button>Send</button>');
    expect(partsOf(html).parts).toEqual([{ text: html }]);
  });

  it.each([
    ['<form><input name="email"></form>', `<form action="${ACTION}" method="post"><input name="email"></form>`],
    [
      '<form action="#" netlify><input name="email"></form>',
      `<form method="post" action="${ACTION}" netlify><input name="email"></form>`,
    ],
    [
      `<FORM\n  METHOD=get Action='x"y' enctype=text/plain><input name=email></FORM>`,
      `<FORM method="post" action="${ACTION}"><input name=email></FORM>`,
    ],
    [
      `<form action="${ACTION}" method="post"><input name="your-email"></form>`,
      `<form action="${ACTION}" method="post"><input name="email"></form>`,
    ],
    ['<input name="email">', `<form action="${ACTION}" method="post">\n<input name="email">\n</form>`],
  ])('is sent here, with an email: %s', (html, expected) => {
    expect(correct(html).result).toBe(expected);
  });

  it('has an email where the form has none', () => {
    const { result } = correct(`<form action="${ACTION}" method="post" data-x='>'><input name="a"></form>`);
    expect(result).toContain(`data-x='>'>\n  <p><label>Email<br> <input type="email" name="email" required>`);
  });

  it.each([
    ['<label>PIN <input type="password" name="p"></label><b>x</b>', '<b>x</b>'],
    ['<label for="p">PIN</label> <input id="p" type="password" name="p">', ' '],
    ['<label>Both <input type="password" name="p"><input name="q"></label>', '<label>Both <input name="q"></label>'],
    ['<div class="g-recaptcha" data-key="1"></div>', ''],
    ['<input name="first-name" value="a>b">', '<input name="firstName" value="a>b">'],
    ['<input name="a b[]"><input name="a b[]">', '<input name="aB[]"><input name="aB[]">'],
    [
      '<input type="checkbox" name="ok" value="yes please">',
      '<input type="hidden" name="ok" value="false"><input type="checkbox" name="ok" value="true">',
    ],
  ])('changes %s', (content, expected) => {
    expect(correct(inForm(content)).result).toBe(inForm(expected));
  });

  it.each([
    ['<button name="go" value="1">Send</button>', '<button value="1">Send</button>'],
    ['<input type="submit" name=go value="Send">', '<input type="submit" value="Send">'],
    // Browsers send the place of a click on an image without a name as `x` and `y`.
    ['<input type="image" src="/send.png">', '<input name="_image" type="image" src="/send.png">'],
    ['<input type="image" name="go" alt="Send">', '<input type="image" name="_image" alt="Send">'],
    [
      '<button name="go" formaction="https://old.example" formmethod="get" formenctype="text/plain">A</button>',
      '<button>A</button>',
    ],
  ])('has no button that sends a field, or to another place: %s', (content, expected) => {
    const { result, proposal } = correct(inForm(content));
    expect(result).toBe(inForm(expected));
    expect(proposal.fields).toEqual([]);
    expect(proposal.refused).not.toEqual([]);
  });

  it.each([
    '<button type="button" name="show">Show</button><button type="reset" name="r">Empty</button><button>Send</button>',
    '<input type="button" name="show"><input type="submit" name="_next" value="https://www.example.com/a">',
    '<input type="image" name="_image">',
    // The answer is the button.
    '<button name="plan" value="a">A</button><button name="data[plan]" value="b">B</button>',
  ])('keeps buttons that send nothing else: %s', (content) => {
    const plan = { key: 'plan', label: 'Plan', kind: 'select', required: false, enum: ['a', 'b'] } as const;
    const { result, proposal } = correct(inForm(content), [{ ...plan, enum: [...plan.enum] }]);
    expect(result).toBe(inForm(content));
    expect(proposal.refused).toEqual([]);
  });

  it('keeps the choices of a form that differ in case or have line breaks, and the bounds of dates', () => {
    const { proposal } = correct(
      inForm(
        '<select name="land"><option>us<option>US<option value="a\nb">AB</select>' +
          '<input type="date" name="born" min="1900-01-01" max="2026-12-31"><input type="date" name="day" min="1000-01-01" max="x">',
      ),
    );
    expect(proposal.fields.map(({ definition }) => definition)).toMatchObject([
      { key: 'land', enum: ['us', 'US', 'a\nb'] },
      { key: 'born', earliest: '1900-01-01', latest: '2026-12-31' },
      { key: 'day', kind: 'date' },
    ]);
    expect(proposal.fields[2]?.definition).not.toHaveProperty('earliest');
  });

  it.each([
    ['accept=".PDF, image/*"', { types: ['pdf', 'png', 'jpeg', 'gif', 'webp', 'heic'] }, 0],
    ['accept="application/zip" multiple', { types: ['zip'], maxFiles: 10 }, 0],
    ['', { types: ['pdf', 'png', 'jpeg'] }, 1],
  ])('keeps files, and lets the form send them: %s', (attributes, options, notes) => {
    const control = `<label>CV <input type="file" name="cv" required ${attributes}></label>`;
    const { result, proposal } = correct(inForm(control));
    expect(result).toBe(inForm(control).replace('<form', '<form enctype="multipart/form-data"'));
    const definition = { key: 'cv', label: 'CV', kind: 'file', required: true, ...options };
    expect(proposal.fields).toMatchObject([{ definition, state: 'new' }]);
    expect(proposal.fields[0]?.notes).toHaveLength(notes);
    expect(proposal.refused).toEqual([]);
    expect(partsOf(result).parts).toHaveLength(1);
    expect(correct(`<input name="email">${control}`).result).toContain('method="post" enctype="multipart/form-data">');
  });

  it('reads a group of checkboxes as several choices, and lets it send none', () => {
    const boxes =
      '<label><input type="checkbox" name="day" value="mo" checked> Monday</label><input type="checkbox" name="day" value="tu">';
    const { result, proposal } = correct(inForm(`<fieldset><legend>Days</legend>${boxes}</fieldset>`));
    expect(result).toContain('<label><input type="hidden" name="day" value=""><input type="checkbox" name="day"');
    expect(proposal.fields[0]?.definition).toEqual({
      key: 'day',
      label: 'Days',
      kind: 'multiselect',
      required: false,
      enum: ['mo', 'tu'],
      default: ['mo'],
      enumLabels: { mo: 'Monday' },
    });
    // Corrected once, nothing is left to correct.
    expect(partsOf(result).parts).toHaveLength(1);
  });

  it('gives boxes without a value that of their label', () => {
    const boxes = ['Monday', 'Tuesday'].map((day) => `<label><input type=checkbox name="d[]" required> ${day}</label>`);
    const { result, proposal } = correct(inForm(boxes.join('')));
    expect(result).toContain('<input value="Monday" type=checkbox name="d[]" required>');
    expect(result).not.toContain('type="hidden"');
    expect(proposal.fields[0]?.definition).toMatchObject({ required: true, enum: ['Monday', 'Tuesday'] });
  });

  it.each([
    [
      'a list that takes several',
      '<select multiple name="d"><option value="1">One</option><option selected>2</select>',
      { enum: ['1', '2'], default: ['2'] },
    ],
    ['one box of a list', '<input type="checkbox" name="d[]" value="only">', { enum: ['only'] }],
  ])('reads %s as several choices', (_, html, options) => {
    expect(correct(inForm(html)).proposal.fields[0]?.definition).toMatchObject({ kind: 'multiselect', ...options });
  });

  it('keeps a list of texts where the choices could not be told apart', () => {
    const html = '<input type="checkbox" name="d" value="a; b"><input type="checkbox" name="d" value="c">';
    expect(correct(inForm(html)).proposal.fields[0]?.definition).toMatchObject({ kind: 'array' });
  });

  it('does not send a field that only the staff sets', () => {
    const status: FieldDefinition = { key: 'status', label: 'Status', kind: 'text', required: false, writers: 'staff' };
    const { proposal } = partsOf(inForm('<input name="status"><input name="data[status]"><input name="a">'), [status]);
    const text = expect.stringContaining('Only the team of the app can set this field');
    expect(proposal.refused).toContainEqual({ name: 'status', text });
    expect(proposal.fields.map(({ definition }) => definition.key)).not.toContain('status');
    expect(proposal.fields.map(({ sentAs }) => sentAs)).toContain('a');
  });

  it('adds the fields that the schema requires, escaped, before the button', () => {
    const field = { key: 'name', label: 'Na<me>', kind: 'text', required: true } as const;
    const { result } = correct(inForm('<button>Send</button>'), [field]);
    expect(result).toMatch(/Na&lt;me&gt;[\s\S]*name="name" required[\s\S]*<button>/);
  });

  it('has the challenge of an app with a provider, in place of another one', () => {
    const captcha = captchaHtml({ botProtection: 'turnstile', captcha: { siteKey: 'k"1' } } as never);
    const [element = '', script = ''] = captcha;
    expect(element).toBe('<div class="cf-turnstile" data-sitekey="k&quot;1"></div>');
    expect(script).toBe('<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script>');
    const without = inForm('<button>Send</button>');
    const added = correct(without, [], captcha).result;
    expect(added).toBe(inForm(`${element}\n  ${script}\n  <button>Send</button>`));
    // It is there now.
    expect(correct(added, [], captcha).result).toBe(added);
    const other = inForm(
      '<div class="h-captcha" data-sitekey="x"></div><i class="g-recaptcha"></i><button>Send</button>',
    );
    expect(correct(other, [], captcha).result).toBe(inForm(`${element}\n  ${script}<button>Send</button>`));
    expect(captchaHtml({ botProtection: 'honeypot' } as never)).toEqual([]);
  });
});
