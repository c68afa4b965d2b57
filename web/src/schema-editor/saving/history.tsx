import { Accordion, Button, Group, Skeleton, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { Schema } from '../../api/endpoints.ts';
import { appSchemaQuery, appSchemaVersionQuery, schemaVersionsQuery } from '../../apps/queries.ts';
import { authorId, authorName } from '../../components/content/author.ts';
import { Time } from '../../components/content/time.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { TableSkeleton } from '../../components/table/table-skeleton.tsx';
import { t } from '../../texts/texts.ts';
import { appPath } from '../../users/scope.ts';
import { schemaChanges } from '../draft/changes.ts';
import { keyInVersion } from '../draft/field-renames.ts';
import { ChangeList } from './change-list.tsx';
import classes from './history.module.css';

interface HistoryProps {
  sourceAppId: string;
  /** The newest version that the editor has loaded. */
  editorVersion: number;
  /** @param keyInBase the key in the newest version of a key in that version */
  onRestore: (schema: Schema, keyInBase: (key: string) => string) => void;
}

/** Lists all versions with their changes. */
export function History({ sourceAppId, editorVersion, onRestore }: HistoryProps) {
  const client = useQueryClient();
  const [opened, setOpened] = useState<string | null>(null);
  const { data, error, refetch } = useQuery(schemaVersionsQuery(sourceAppId));
  const newest = data?.versions[0]?.version;
  useEffect(() => {
    if (newest !== undefined && newest > editorVersion) {
      void client.invalidateQueries({ queryKey: appSchemaQuery(sourceAppId).queryKey, exact: true });
    }
  }, [client, sourceAppId, newest, editorVersion]);
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (!data) return <TableSkeleton rows={3} />;
  return (
    <Accordion variant="separated" value={opened} onChange={setOpened} order={2}>
      {data.versions.map(({ version, createdAt, fields, author, renames, ...by }) => (
        <Accordion.Item key={version} value={String(version)} className={classes.item ?? ''}>
          <Accordion.Control>
            <Group justify="space-between" pr="md">
              <Text size="md" fw={600}>
                {version === newest ? t.schemaEditor.liveVersion(version) : t.schemaEditor.version(version)}
              </Text>
              <Text c="dimmed">
                {t.common.fields(fields)} · <Time at={createdAt} />
                {author !== undefined && (
                  <>
                    {' · '}
                    <span title={authorId(by)}>{t.schemaEditor.by(authorName(by) ?? author)}</span>
                  </>
                )}
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            {opened === String(version) && (
              <Difference
                sourceAppId={sourceAppId}
                version={version}
                isNewest={version === newest}
                renames={renames ?? []}
                onRestore={(schema) => onRestore(schema, keyInVersion(data.versions, version, editorVersion))}
              />
            )}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

interface DifferenceProps extends Pick<HistoryProps, 'sourceAppId'> {
  onRestore: (schema: Schema) => void;
  renames: readonly { from: string; to: string }[];
  version: number;
  isNewest: boolean;
}

function Difference({ sourceAppId, version, isNewest, renames, onRestore }: DifferenceProps) {
  const [, navigate] = useLocation();
  const schema = useQuery(appSchemaVersionQuery(sourceAppId, version));
  const before = useQuery({ ...appSchemaVersionQuery(sourceAppId, version - 1), enabled: version > 1 });
  const error = schema.error ?? before.error;
  if (error) return <LoadError error={error} onRetry={() => Promise.all([schema.refetch(), before.refetch()])} />;
  if (!schema.data || (version > 1 && !before.data)) return <Skeleton h={60} />;
  const restore = (restored: Schema) => (): void => {
    onRestore(restored);
    notifications.show({ title: t.schemaEditor.loaded(version), message: t.schemaEditor.loadedNote });
    navigate(appPath({ sourceAppId }, 'form'));
  };
  return (
    <>
      <Text fw={600} mb={6}>
        {before.data ? t.schemaEditor.changesFrom(version - 1) : t.schemaEditor.firstVersion}
      </Text>
      {before.data ? (
        <ChangeList
          changes={schemaChanges(
            before.data,
            schema.data,
            new Map(renames.map(({ from, to }) => [to, from])),
            new Set(renames.map(({ to }) => to)),
          )}
        />
      ) : (
        <ChangeList changes={schemaChanges({ rejectUnknown: schema.data.rejectUnknown, fields: [] }, schema.data)} />
      )}
      {!isNewest && (
        <Button size="xs" variant="default" mt="md" onClick={restore(schema.data)}>
          {t.schemaEditor.load}
        </Button>
      )}
    </>
  );
}
