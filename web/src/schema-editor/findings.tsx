import { Alert, Text } from '@mantine/core';
import type { ResponseBody } from '../api/endpoints.ts';
import { count } from '../components/count.ts';
import { findingsTitle } from './findings-title.ts';

type Check = ResponseBody<'POST /auth/apps/:sourceAppId/schema/check'>;

/** How many stored records fail a schema: those that newly fail, and those that fail already. */
export function Findings(check: Check) {
  const { checked, failing, newlyFailing, examples, complete } = check;
  const already = failing - newlyFailing;
  if (checked === 0) return <Text size="sm">This app has no stored records yet.</Text>;
  if (failing === 0) {
    return (
      <Alert variant="light" color="green" p="xs">
        {complete && checked === 1
          ? 'The stored record matches'
          : `${complete ? 'All' : 'The newest'} ${count(checked, 'stored record')} match`}{' '}
        the new schema.{!complete && ' There was no time to check the older records.'}
      </Alert>
    );
  }
  return (
    <Alert variant="light" color={newlyFailing === 0 ? 'green' : 'yellow'} title={findingsTitle(check)}>
      <Text size="sm" mb="xs">
        {!complete && 'There was no time to check the older records. '}
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
