import { t } from '../../texts/texts.ts';
import { curlSnippet, fetchSnippet, nodeSnippet } from './code-snippets.ts';
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

const { snippets } = t.connect;

export const SNIPPETS: readonly Snippet[] = [
  { id: 'html', ...snippets.html, runsInPages: true, provesWork: false, generate: plainFormSnippet },
  { id: 'embed', ...snippets.embed, runsInPages: true, provesWork: true, generate: embedSnippet },
  { id: 'enhanced', ...snippets.enhanced, runsInPages: true, provesWork: true, generate: enhancedFormSnippet },
  { id: 'link', ...snippets.link, runsInPages: false, provesWork: true, generate: linkSnippet },
  { id: 'fetch', ...snippets.fetch, runsInPages: true, provesWork: false, generate: fetchSnippet },
  { id: 'curl', ...snippets.curl, runsInPages: false, provesWork: false, generate: curlSnippet },
  { id: 'node', ...snippets.node, runsInPages: false, provesWork: false, generate: nodeSnippet },
];
