import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Field } from '../../api/endpoints.ts';
import { Value } from '../../components/content/value.tsx';
import { labelOf } from '../../components/form/labels.ts';
import { LoadError } from '../../components/page/load-error.tsx';
import { ownValue } from '../../record/editing/draft.ts';
import { t } from '../../texts/texts.ts';
import type { UserFilter } from '../list/list-parameters.ts';
import { type Scope, scopeParameter } from '../scope.ts';
import classes from './bulk-change.module.css';

const SHOWN = 10;
/** The longest value of a condition (spec 8). */
const MAX_VALUE = 1_000;

/** The users to change: those that match, or those that are selected, by id. */
export type ChangedUsers = { filter: UserFilter } | { selected: ReadonlyMap<string, string> };

interface ChangePreviewProps {
  scope: Scope;
  users: ChangedUsers;
  field: Field;
  /** Undefined: the value is removed. */
  value: unknown;
  total: number;
}

/** The first users with their values before and after. */
export function ChangePreview({ scope, users, field, value, total }: ChangePreviewProps) {
  const query =
    'filter' in users ? { q: users.filter.q, where: users.filter.where } : { where: [emailsOf(users.selected)] };
  const found = useQuery({
    queryKey: ['users', scopeParameter(scope), 'preview', query],
    queryFn: ({ signal }) =>
      call('GET /auth/users', { query: { ...scopeParameter(scope), ...query, limit: SHOWN, total: 'none' }, signal }),
    refetchOnWindowFocus: false,
  });
  if (found.error) return <LoadError error={found.error} onRetry={found.refetch} />;
  const shown = found.data?.users ?? [];
  return (
    <div className={classes.scroll}>
      <table className={classes.preview} aria-label={t.users.change.preview}>
        <thead>
          <tr>
            <th scope="col">{t.common.email}</th>
            <th scope="col">{t.users.change.now}</th>
            <th scope="col">{t.users.change.after}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ id, email, data }) => (
            <tr key={id}>
              <td className="breaks">{email}</td>
              <td>
                <Value value={labelOf(field, ownValue(data, field.key))} />
              </td>
              <td>
                <Value value={labelOf(field, value)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > shown.length && shown.length > 0 && (
        <Text c="dimmed" mt="xs">
          {t.users.change.more(total - shown.length)}
        </Text>
      )}
    </div>
  );
}

/** A condition on the first emails. */
function emailsOf(selected: ReadonlyMap<string, string>): string {
  let value = '';
  for (const email of [...selected.values()].slice(0, SHOWN)) {
    if (value.length + email.length >= MAX_VALUE) break;
    value += value === '' ? email : `,${email}`;
  }
  return `email:in:${value}`;
}
