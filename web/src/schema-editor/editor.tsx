import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { withDefinitions } from './draft.ts';
import classes from './editor.module.css';
import { FieldList } from './field-list.tsx';
import { History } from './history.tsx';
import { JsonTab } from './json-tab.tsx';
import { Overtaken } from './overtaken.tsx';
import { Preview } from './preview.tsx';
import { SaveDialog } from './save-dialog.tsx';
import type { Tab } from './schema-page.tsx';
import type { Work } from './stored-work.ts';
import { type SchemaWork, useWork } from './use-work.ts';

interface EditorProps {
  sourceAppId: string;
  newest: Work['base'];
  tab: Tab;
}

export function Editor({ sourceAppId, newest, tab }: EditorProps) {
  const work = useWork(sourceAppId, newest);
  const [saving, setSaving] = useState(false);
  return (
    <>
      {work.overtakenBy && <Overtaken work={work} by={work.overtakenBy} />}
      {tab !== 'versions' && <SaveBar work={work} newest={newest} onSave={() => setSaving(true)} />}
      {tab === 'fields' && (
        <div className={classes.columns}>
          <FieldList work={work} />
          <aside className={classes.preview} aria-label="Preview">
            <Preview schema={work.checked.schema} isPartial={work.checked.problems.size > 0} />
          </aside>
        </div>
      )}
      {tab === 'json' && <JsonTab work={work} />}
      {tab === 'versions' && (
        <History
          sourceAppId={sourceAppId}
          known={newest.schema.version}
          onRestore={(schema) => work.edit((draft) => withDefinitions(draft, schema))}
        />
      )}
      <SaveDialog sourceAppId={sourceAppId} work={work} opened={saving} onClose={() => setSaving(false)} />
    </>
  );
}

function SaveBar({ work, newest, onSave }: { work: SchemaWork; newest: Work['base']; onSave: () => void }) {
  const wrong = work.checked.problems.size;
  const [discarded, setDiscarded] = useState<Work>();
  const discard = (): void => {
    setDiscarded({ base: work.base, draft: work.draft });
    work.begin(newest);
  };
  return (
    <div className={classes.bar}>
      <Group gap="xs">
        {work.isDirty ? (
          <Badge variant="light" color="yellow" tt="none" size="lg">
            {count(work.changes.length, 'change')}, not saved
          </Badge>
        ) : (
          <Text size="sm" c="dimmed">
            {discarded ? 'The changes are discarded' : 'Nothing changed yet'}
          </Text>
        )}
        {discarded && !work.isDirty && (
          <Button variant="subtle" size="compact-sm" onClick={() => work.resume(discarded)}>
            Undo
          </Button>
        )}
        {wrong > 0 && (
          <Badge variant="light" color="red" tt="none" size="lg">
            {count(wrong, 'field')} to mend
          </Badge>
        )}
      </Group>
      <Group gap="xs">
        <Button variant="default" disabled={!work.isDirty} onClick={discard}>
          Discard
        </Button>
        <Button disabled={!work.isDirty || wrong > 0 || work.overtakenBy !== undefined} onClick={onSave}>
          Review and save
        </Button>
      </Group>
      {work.isRestored && (
        <Alert variant="light" color="indigo" className={classes.notice ?? ''} p="xs">
          Your changes from before are still here. They are not saved yet.
        </Alert>
      )}
    </div>
  );
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
