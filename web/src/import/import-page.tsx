import { Alert, FileInput, Paper, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { UpLink } from '../components/page/back-link.tsx';
import { EmptyState } from '../components/page/empty-state.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { PageHeader } from '../components/page/page-header.tsx';
import { t } from '../texts/texts.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import { type Scope, usersPath } from '../users/scope.ts';
import { ImportForm } from './import-form.tsx';
import { ImportRows } from './import-rows.tsx';
import { importsQuery } from './queries.ts';
import { type FileHead, readHead } from './read-file.ts';

interface Chosen {
  file: File;
  head: FileHead;
  /** Of imports that began with this file, by their ids. */
  ids: ReadonlySet<string>;
  /** Whether invalid values are left out. */
  omits: boolean;
}

/** Imports records from a file. */
export default function ImportPage({ scope }: { scope: Scope }) {
  const schema = useQuery(scopedSchemaQuery(scope));
  const imports = useQuery(importsQuery(scope));
  const [chosen, setChosen] = useState<Chosen>();
  const [started, setStarted] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const error = schema.error ?? imports.error;

  async function choose(file: File | null): Promise<void> {
    setProblem(undefined);
    setChosen(undefined);
    if (!file) return;
    try {
      setChosen({ file, head: await readHead(file), ids: new Set(), omits: false });
    } catch (reason) {
      setProblem(reason instanceof Error ? reason.message : t.imports.unreadable);
    }
  }

  function begin(id: string, part?: Partial<Chosen>): void {
    setStarted(id);
    setChosen((before) => before && { ...before, ...part, ids: new Set([...before.ids, id]) });
  }

  return (
    <>
      <UpLink path={usersPath(scope)} name={t.imports.users} />
      <PageHeader title={t.imports.title} note={t.imports.note(scope.sourceAppId)} />
      {error && <LoadError error={error} onRetry={() => Promise.all([schema.refetch(), imports.refetch()])} />}
      <Stack gap="lg">
        <Paper withBorder p="md" radius="md">
          <FileInput
            label={t.imports.file}
            description={t.imports.fileNote}
            placeholder={t.imports.chooseFile}
            accept=".csv,.tsv,.txt,.ndjson,.jsonl,.zip,text/csv,application/x-ndjson,application/zip"
            value={chosen?.file ?? null}
            onChange={choose}
            clearable
            clearButtonProps={{ 'aria-label': t.imports.removeFile }}
          />
          {problem && (
            <Alert color="red" role="alert" mt="sm">
              {problem}.
            </Alert>
          )}
          {chosen && schema.data && (
            <ImportForm
              key={`${chosen.file.name} ${chosen.file.lastModified} ${chosen.file.size}`}
              scope={scope}
              file={chosen.file}
              head={chosen.head}
              fields={schema.data.fields}
              hasOthers={!schema.data.rejectUnknown}
              omits={chosen.omits}
              onOmits={(omits) => setChosen({ ...chosen, omits })}
              onStarted={begin}
            />
          )}
        </Paper>
        {imports.data?.imports.length === 0 && !chosen && (
          <EmptyState subject="imports" title={t.imports.nothing}>
            {t.imports.nothingNote}
          </EmptyState>
        )}
        {imports.data && imports.data.imports.length > 0 && (
          <section aria-labelledby="imports-title">
            <Title order={2} size="h4" mb="sm" id="imports-title">
              {t.imports.lastImports}
            </Title>
            <ImportRows
              scope={scope}
              imports={imports.data.imports}
              started={started}
              fileOf={(id) => (chosen?.ids.has(id) ? chosen.file : undefined)}
              onOmitted={(id, isDryRun) => (isDryRun ? begin(id, { omits: true }) : setStarted(id))}
            />
          </section>
        )}
      </Stack>
    </>
  );
}
