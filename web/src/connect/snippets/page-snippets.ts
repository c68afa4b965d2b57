import type { FormSettings, Schema } from '../../api/endpoints.ts';
import { formControls, pagesOf, publicFields } from '../../schema-editor/draft/rules.ts';
import { t } from '../../texts/texts.ts';
import { captchaHtml } from '../captcha.ts';
import { EMBED_SCRIPT_URL, formPageUrl, submitUrl } from '../urls.ts';
import { estimatedHeight } from './embed-height.ts';
import { escapeHtml, startTag } from './escape.ts';
import { fieldHtml, indented } from './field-html.ts';

/** An app and the settings of its forms. */
export interface SnippetTarget {
  sourceAppId: string;
  schema: Schema;
  settings: FormSettings;
}

/** A complete page with a form that needs no script. */
export function plainFormSnippet(target: SnippetTarget): string {
  return page(target, form(target, {}));
}

/** The same form, sent without leaving the page where JavaScript runs. */
export function enhancedFormSnippet(target: SnippetTarget): string {
  return page(target, [...form(target, { 'data-user-collection': target.sourceAppId }), scriptTag()]);
}

/** An element that the embed script replaces with the form. */
export function embedSnippet(target: SnippetTarget): string {
  const attributes = { 'data-user-collection': target.sourceAppId, 'data-height': estimatedHeight(target) };
  return `${startTag('div', attributes)}</div>\n${scriptTag()}\n`;
}

/** A link to the form as a page of the service. */
export function linkSnippet(target: SnippetTarget): string {
  return `${startTag('a', { href: formPageUrl(target.sourceAppId) })}${escapeHtml(titleOf(target))}</a>\n`;
}

function page(target: SnippetTarget, body: string[]): string {
  const { locale } = target.settings;
  return [
    '<!doctype html>',
    startTag('html', { lang: locale ?? 'en' }),
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(titleOf(target))}</title>`,
    '',
    ...body,
    '',
  ].join('\n');
}

function form(target: SnippetTarget, attributes: Record<string, string>): string[] {
  const { settings, schema } = target;
  const hasFiles = publicFields(schema.fields).some(({ kind }) => kind === 'file');
  // A page that declares no encoding sends other bytes, or `&#1048;` for a letter.
  const encoding = { 'accept-charset': 'utf-8', enctype: hasFiles ? 'multipart/form-data' : undefined };
  return [
    startTag('form', { action: submitUrl(target.sourceAppId), method: 'post', ...encoding, ...attributes }),
    ...indented([
      '<p>',
      ...indented(['<label>Email<br>', '<input type="email" name="email" autocomplete="email" required>', '</label>']),
      '</p>',
      ...fieldsHtml(target),
      `<!-- ${t.connect.snippets.trap} -->`,
      '<p hidden><label>Leave this empty <input name="_gotcha" tabindex="-1" autocomplete="off"></label></p>',
      ...captchaHtml(settings),
      `<!-- ${t.connect.snippets.ownPage} -->`,
      '<!-- <input type="hidden" name="_next" value="https://www.example.com/thanks.html"> -->',
      `<p><button>${escapeHtml(settings.submitLabel ?? 'Send')}</button></p>`,
    ]),
    '</form>',
  ];
}

/** The fields with the titles of their pages: without the embed script all are on one page. */
function fieldsHtml({ schema, settings }: SnippetTarget): string[] {
  const controls = formControls(publicFields(schema.fields));
  const hasConditions = controls.some(({ when }) => when !== undefined);
  const pages = pagesOf(controls);
  return controls.flatMap((control, index) => {
    const page = pages[index];
    const title = page !== (pages[index - 1] ?? 1) && settings.pages?.find((one) => one.page === page)?.title;
    return [...(title ? [`<h2>${escapeHtml(title)}</h2>`] : []), ...fieldHtml(control, hasConditions)];
  });
}

const scriptTag = (): string => `${startTag('script', { src: EMBED_SCRIPT_URL, defer: true })}</script>`;

function titleOf({ settings, sourceAppId }: SnippetTarget): string {
  return settings.title ?? settings.name ?? sourceAppId;
}
