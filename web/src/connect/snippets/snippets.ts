import type { FormSettings } from '../../api/endpoints.ts';
import { curlSnippet, fetchSnippet, nodeSnippet } from './code-snippets.ts';
import { estimatedHeight } from './embed-height.ts';
import {
  embedSnippet,
  enhancedFormSnippet,
  linkSnippet,
  plainFormSnippet,
  type SnippetTarget,
} from './page-snippets.ts';

/** Code that connects a form, a site or a program to an app. */
export interface Snippet {
  id: string;
  name: string;
  /** Its purpose and its requirements, in one line. */
  note: string;
  /** The place of the code. */
  use: string;
  /** Whether it runs in pages of a site, which has to be allowed. */
  runsInPages: boolean;
  /** Whether it works while proof of work is required. */
  provesWork: boolean;
  generate: (target: SnippetTarget) => string;
}

export const SNIPPETS: readonly Snippet[] = [
  {
    id: 'html',
    name: 'Plain HTML',
    note: 'For any website. Needs no JavaScript.',
    use: 'Copy the form into your page, or save the whole text as a file that ends in .html and open it.',
    runsInPages: true,
    provesWork: false,
    generate: plainFormSnippet,
  },
  {
    id: 'embed',
    name: 'Embed',
    note: 'For a form that always shows the newest fields. Needs JavaScript.',
    use: 'Paste both lines where the form should appear.',
    runsInPages: true,
    provesWork: true,
    generate: (target) => embedSnippet(target, estimatedHeight(target)),
  },
  {
    id: 'enhanced',
    name: 'Enhanced form',
    note: 'For a form in your own design that is sent without leaving the page. Also works without JavaScript.',
    use: 'Copy the form and the script into your page, or save the whole text as a file that ends in .html.',
    runsInPages: true,
    provesWork: true,
    generate: enhancedFormSnippet,
  },
  {
    id: 'link',
    name: 'Link',
    note: 'For emails, profiles and sites where you cannot add a form. Needs nothing.',
    use: 'Paste the link into your page, or send its address to people.',
    runsInPages: false,
    provesWork: true,
    generate: linkSnippet,
  },
  {
    id: 'fetch',
    name: 'JavaScript',
    note: 'For a script in your own page. Needs JavaScript.',
    use: 'Paste it into a script of type "module", and replace the example values.',
    runsInPages: true,
    provesWork: false,
    generate: fetchSnippet,
  },
  {
    id: 'curl',
    name: 'Terminal',
    note: 'For a quick try without a website. Needs curl.',
    use: 'Paste the command into a terminal.',
    runsInPages: false,
    provesWork: false,
    generate: curlSnippet,
  },
  {
    id: 'node',
    name: 'Node.js',
    note: 'For your own server. Needs Node.js 20 or newer.',
    use: 'Save it as a file that ends in .mjs, and replace the example values.',
    runsInPages: false,
    provesWork: false,
    generate: nodeSnippet,
  },
];

/** The reason why a snippet does not work with these settings, and the next step. */
export function obstacleOf(
  { runsInPages, provesWork, id }: Snippet,
  { origins, nullOrigin, botProtection }: FormSettings,
): string | undefined {
  if (botProtection === 'proof-of-work' && !provesWork) {
    return id === 'html'
      ? 'Proof of work is on: submissions of this form are held until you release them. Use Embed or Enhanced form instead.'
      : 'Proof of work is on: this code is refused, because it does not solve the challenge. Use Embed, Enhanced form or Link instead.';
  }
  if (runsInPages && origins.length === 0) {
    return nullOrigin
      ? 'It works from a file on your computer. Before you put it online, add your website under "Allowed websites".'
      : 'No website is allowed yet. Add yours under "Allowed websites", or try it once and allow it there with one click.';
  }
  return undefined;
}
