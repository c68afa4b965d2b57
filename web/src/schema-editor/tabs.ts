import { t } from '../texts/texts.ts';

export const TABS = [
  { id: 'fields', name: t.schemaEditor.tabs.fields },
  { id: 'json', name: 'JSON' },
  { id: 'versions', name: t.schemaEditor.tabs.versions },
] as const;

export type Tab = (typeof TABS)[number]['id'];
