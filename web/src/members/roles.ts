import type { MemberRole } from '../api/endpoints.ts';

export const ROLES: readonly { value: MemberRole; label: string; meaning: string }[] = [
  { value: 'viewer', label: 'Viewer', meaning: 'Reads users, charts and held submissions.' },
  { value: 'editor', label: 'Editor', meaning: 'Also changes, erases, imports and exports users.' },
  {
    value: 'manager',
    label: 'Manager',
    meaning: 'Also changes the schema, settings, webhooks, API keys and members, and reads the audit log.',
  },
];

export const roleOf = (text: string): MemberRole => ROLES.find(({ value }) => value === text)?.value ?? 'viewer';

export const labelOf = (role: MemberRole): string => ROLES.find(({ value }) => value === role)?.label ?? role;
