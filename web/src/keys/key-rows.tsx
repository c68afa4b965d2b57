import { Badge, Button, Group, Table } from '@mantine/core';
import type { ApiKey } from '../api/endpoints.ts';
import { Time } from '../components/time.tsx';
import classes from './keys-page.module.css';
import { SCOPES } from './scopes.ts';

export function KeyRows({ keys, onDelete }: { keys: readonly ApiKey[]; onDelete: (key: ApiKey) => void }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className={classes.scroll} tabIndex={0} aria-label="Table of API keys">
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Allowed to</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Ends</Table.Th>
            <Table.Th>
              <span className="visually-hidden">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.id}>
              <Table.Td className="breaks">
                {key.name}
                {key.cidrs.length > 0 && <div className={classes.detail}>From {key.cidrs.join(', ')}</div>}
                <div className={classes.onPhone}>
                  <Scopes of={key} />
                  <div>
                    <LastUse apiKey={key} />
                  </div>
                  <End at={key.expiresAt} />
                </div>
              </Table.Td>
              <Table.Td>
                <Scopes of={key} />
              </Table.Td>
              <Table.Td>
                <LastUse apiKey={key} />
              </Table.Td>
              <Table.Td>
                <End at={key.expiresAt} />
              </Table.Td>
              <Table.Td className={classes.right ?? ''}>
                <Button
                  size="xs"
                  variant="subtle"
                  color="red"
                  aria-label={`Delete ${key.name}`}
                  onClick={() => onDelete(key)}
                >
                  Delete
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Scopes({ of: { scopes } }: { of: ApiKey }) {
  return (
    <Group gap={6}>
      {scopes.map((scope) => (
        <Badge key={scope} variant="light" color="gray" tt="none">
          {SCOPES[scope].name}
        </Badge>
      ))}
    </Group>
  );
}

function LastUse({ apiKey: { lastUsedAt, lastUsedFrom } }: { apiKey: ApiKey }) {
  if (!lastUsedAt) return <span className={classes.none}>Never used</span>;
  return (
    <>
      <Time at={lastUsedAt} relative />
      {lastUsedFrom && <div className={classes.detail}>from {lastUsedFrom}</div>}
    </>
  );
}

function End({ at }: { at: string | null }) {
  if (!at) return <span className={classes.none}>Never ends</span>;
  if (Date.parse(at) > Date.now()) return <Time at={at} />;
  return (
    <Badge variant="light" color="red" tt="none">
      Ended
    </Badge>
  );
}
