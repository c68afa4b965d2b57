import { tabDrafts } from '../drafts/tab-drafts.ts';
import type { DraftState } from './draft.ts';

/** The drafts of the schema editor. */
export const schemaDrafts = tabDrafts<DraftState>('schema', 2);
