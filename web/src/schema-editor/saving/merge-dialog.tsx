import { Badge, Button, Group, Modal, Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { schemaVersionsQuery } from '../../apps/queries.ts';
import { LoadError } from '../../components/page/load-error.tsx';
import { t } from '../../texts/texts.ts';
import type { DraftState } from '../draft/draft.ts';
import { keyInVersion } from '../draft/field-renames.ts';
import { type MergeRow, merged, mergeRows, type Side } from '../draft/merge.ts';
import { capitalize } from '../draft/messages.ts';
import type { DraftEditor } from '../draft/use-draft.ts';
import classes from './merge-dialog.module.css';

interface MergeDialogProps {
  sourceAppId: string;
  editor: DraftEditor;
  /** The version that someone else saved. */
  newest: DraftState['base'];
  opened: boolean;
  onClose: () => void;
}

/** Joins a draft with a version that someone else saved, field by field. */
export function MergeDialog(props: MergeDialogProps) {
  const { version } = props.newest.schema;
  return (
    <Modal opened={props.opened} onClose={props.onClose} size="lg" title={t.schemaEditor.mergeTitle(version)}>
      <Merge {...props} />
    </Modal>
  );
}

function Merge({ sourceAppId, editor, newest, onClose }: MergeDialogProps) {
  const versions = useQuery({ ...schemaVersionsQuery(sourceAppId), staleTime: 0 });
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  if (versions.error) return <LoadError error={versions.error} onRetry={versions.refetch} />;
  if (!versions.data || versions.isFetching) return <Skeleton h={120} />;
  const { base } = editor;
  const keyInNewest = keyInVersion(versions.data.versions, base.schema.version, newest.schema.version);
  const state = { base, draft: editor.draft };
  const rows = mergeRows(state, newest.schema, keyInNewest);
  const choiceOf = ({ id, preselected }: Pick<MergeRow, 'id' | 'preselected'>): Side => chosen[id] ?? preselected;
  const finish = (next: DraftState): void => {
    editor.restore(next);
    onClose();
  };
  const discard = (): void => {
    editor.reset(newest);
    onClose();
  };
  return (
    <Stack>
      <Text>{rows.length === 0 ? t.schemaEditor.sameFields : t.schemaEditor.mergeNote}</Text>
      {rows.map((row) => (
        <Row
          key={row.id}
          row={row}
          choice={choiceOf(row)}
          onChoose={(side) => setChosen({ ...chosen, [row.id]: side })}
        />
      ))}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={discard}>
          {t.schemaEditor.discardDraft}
        </Button>
        <Button onClick={() => finish(merged(state, newest, keyInNewest, choiceOf))}>
          {t.schemaEditor.mergeIntoDraft}
        </Button>
      </Group>
    </Stack>
  );
}

function Row({ row, choice, onChoose }: { row: MergeRow; choice: Side; onChoose: (side: Side) => void }) {
  const option = (side: Side) => (
    <Radio value={side} label={t.schemaEditor.sides[side]} description={<Changes texts={row.changes[side]} />} />
  );
  return (
    <Radio.Group
      className={classes.row ?? ''}
      value={choice}
      onChange={(side) => onChoose(side === 'mine' ? 'mine' : 'theirs')}
      label={
        <span className={classes.name}>
          {row.name}
          {row.isConflict && (
            <Badge color="yellow" ml="xs">
              {t.schemaEditor.changedByBoth}
            </Badge>
          )}
        </span>
      }
    >
      <Stack gap="xs" mt={6}>
        {option('mine')}
        {option('theirs')}
      </Stack>
    </Radio.Group>
  );
}

function Changes({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return <>{t.schemaEditor.notChanged}</>;
  return (
    <>
      {texts.map((text) => (
        <span key={text} className={classes.change}>
          {capitalize(text)}
        </span>
      ))}
    </>
  );
}
