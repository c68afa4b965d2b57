import type { MemberRole } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';

const MEMBER_ROLES = ['viewer', 'editor', 'manager'] as const satisfies readonly MemberRole[];

export const ROLES: readonly { value: MemberRole; label: string; meaning: string }[] = MEMBER_ROLES.map((value) => ({
  value,
  label: t.members.labels[value],
  meaning: t.members.meanings[value],
}));

export const roleOf = (text: string): MemberRole => MEMBER_ROLES.find((value) => value === text) ?? 'viewer';
