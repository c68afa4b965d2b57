import { Alert, Text } from '@mantine/core';
import type { ResponseBody } from '../api/endpoints.ts';
import { count } from '../components/count.ts';

type Check = ResponseBody<'POST /auth/apps/:sourceAppId/schema/check'>;

/** How many stored records fail a schema: those that newly fail, and those that fail already. */
export function Findings({ checked, failing, newlyFailing, examples, complete }: Check) {
  const records = `${complete ? '' : 'the newest '}${count(checked, 'stored record')}`;
  const already = failing - newlyFailing;
  if (checked === 0) return <Text size="sm">This app has no stored records yet.</Text>;
  if (failing === 0) {
    return (
      <Alert variant="light" color="green" p="xs">
        {checked === 1
          ? 'The stored record matches'
          : `${complete ? 'All' : 'The newest'} ${count(checked, 'stored record')} match`}{' '}
        the new schema.
      </Alert>
    );
  }
  const title =
    newlyFailing === 0
      ? `None of ${records} newly fails`
      : `${newlyFailing.toLocaleString()} of ${records} newly ${newlyFailing === 1 ? 'fails' : 'fail'}`;
  return (
    <Alert variant="light" color={newlyFailing === 0 ? 'green' : 'yellow'} title={title}>
      <Text size="sm" mb="xs">
        {already > 0 &&
          `${already.toLocaleString()} ${already === 1 ? 'does' : 'do'} not match the live schema either. `}
        Stored records are not changed, but later submissions must match the new schema.
      </Text>
      {examples.map(({ id, email, path, message }) => (
        <Text key={`${id} ${path}`} size="sm" className="breaks">
          {email}: {path} {message}
        </Text>
      ))}
    </Alert>
  );
}
