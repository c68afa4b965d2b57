import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditEvent } from '../api/endpoints.ts';
import { inputProps } from '../components/form/input.ts';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import { accountOf, actorName } from './actions.ts';
import { peopleQuery } from './queries.ts';

interface PersonFilterProps {
  /** Undefined: all apps. */
  sourceAppId: string | undefined;
  /** The events that are shown; whoever acted in one of them can be chosen too. */
  events: readonly AuditEvent[];
  value: string;
  onChange: (actor: string) => void;
}

/** Chooses the person whose events are shown: a member, whoever is in the log, or the admins. */
export function PersonFilter({ sourceAppId, events, value, onChange }: PersonFilterProps) {
  const abilities = useAbilities();
  const { data: people = [] } = useQuery({ ...peopleQuery(sourceAppId), enabled: abilities.members });
  const names = new Map(people.map(({ id, name, email }) => [id, labelOf(name, email)]));
  for (const { actor } of events) {
    const account = accountOf(actor);
    const id = account ?? (actor.id === value ? value : undefined);
    if (id !== undefined && id !== '' && !names.has(id)) names.set(id, labelOf(actorName(actor), actor.email));
  }
  // Of a link to somebody of whom no event is shown yet.
  if (value !== '' && value !== ADMINS && !names.has(value)) names.set(value, value);
  return (
    <NativeSelect
      label={t.audit.person}
      data={[
        { value: '', label: t.audit.everybody },
        { value: ADMINS, label: t.audit.admins },
        ...[...names].map(([id, label]) => ({ value: id, label })),
      ]}
      {...inputProps(value, onChange)}
    />
  );
}

const ADMINS = 'admin';

const labelOf = (name: string, email: string | undefined): string =>
  email === undefined ? name : `${name} (${email})`;
