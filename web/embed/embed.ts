import { toDom } from './dom.ts';
import { startFiles } from './files-loader.ts';
import { stopKeys } from './keys.ts';
import { part } from './parts.ts';
import { challenge } from './send.ts';
import { definitionOf, formPath, service } from './service.ts';
import { startSteps } from './steps-loader.ts';
import { watchForms } from './submits.ts';

/**
 * Shows the form of an app in an element. A shadow root keeps the styles of the site and of the
 * form apart, and a constructed style sheet needs no permission of the site's policy.
 */
export async function embed(host: HTMLElement): Promise<void> {
  if (host.shadowRoot) return;
  const app = host.getAttribute('data-user-collection') ?? '';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  // Reserves the space of the form before it is loaded, so that nothing below it moves.
  const height = Number(host.getAttribute('data-height')) || 0;
  const base = `:host{display:block;min-height:${height}px}`;
  sheet.replaceSync(base);
  root.adoptedStyleSheets = [sheet];
  watchForms(root);
  stopKeys(root);
  const loading = part('form');
  try {
    const [definition, { build, style }] = await Promise.all([definitionOf(formPath(app, host)), loading]);
    sheet.replaceSync(base + style + (definition.style ?? ''));
    const content = build(app, definition, service);
    const form = content.querySelector('form');
    const { fields, pages = [], steps: texts } = definition;
    if (form && texts) await startSteps(form, { fields, pages, texts }, root);
    root.append(content);
    // Without its module the form sends its files itself.
    if (form && definition.files) startFiles(form, definition.files, root).catch(() => undefined);
    if (form && definition.captcha) challenge(form, definition.captcha);
  } catch {
    const style = await loading.then(
      (loaded) => loaded.style,
      () => '',
    );
    sheet.replaceSync(base + style);
    const link = ['a', { href: `${service}/f/${app}` }, 'Open the form'] as const;
    root.append(...toDom([['p', { class: 'note', role: 'alert' }, 'The form could not be shown. ', link]]));
  }
}
