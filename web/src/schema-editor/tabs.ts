export const TABS = [
  { id: 'fields', name: 'Fields' },
  { id: 'json', name: 'JSON' },
  { id: 'versions', name: 'Versions' },
] as const;

export type Tab = (typeof TABS)[number]['id'];
