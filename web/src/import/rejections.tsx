import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Import, ImportSettings } from '../api/endpoints.ts';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { couldOmit, reasonsOf } from './advice.ts';
import classes from './import-page.module.css';
import { rejectedFile, useStartImport } from './queries.ts';

interface RejectionsProps {
  one: Import;
  hasEnded: boolean;
}

/** The first rejected lines, and their reasons with counts. */
export function Rejections({ one: { errors, rejected }, hasEnded }: RejectionsProps) {
  const reasons = reasonsOf(errors);
  const title = rejected > errors.length ? t.imports.reasonsOfFirst(errors.length) : t.imports.reasons;
  if (errors.length === 0) return null;
  return (
    <>
      {hasEnded && reasons.length < errors.length && (
        <>
          <Text mt="xs" fw={600} size="sm">
            {title}
          </Text>
          <ul className={classes.reasons} aria-label={title}>
            {reasons.map(({ reason, lines }) => (
              <li key={reason}>{t.imports.linesOfReason(lines, reason)}</li>
            ))}
          </ul>
        </>
      )}
      {/* A list and no region: several imports have one, and regions need different names. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be focusable */}
      <ul className={classes.errors} tabIndex={0} aria-label={t.imports.firstRejected}>
        {errors.map(({ line, message }) => (
          <li key={line}>{t.imports.problem(line, message)}</li>
        ))}
        {rejected > errors.length && <li>{t.imports.more(rejected - errors.length)}</li>}
      </ul>
    </>
  );
}

interface OmitValuesProps {
  scope: Scope;
  one: Import;
  /** The file of the import, if the page still has it. */
  file: File | undefined;
  onStarted: (id: string) => void;
}

/**
 * Starts an import again without the values that do not fit. Only rejected lines are imported
 * again: the others would be appended to lists twice. A dry run reads its whole file again.
 */
export function OmitValues({ scope, one, file, onStarted }: OmitValuesProps) {
  const { state, errors, settings } = one;
  const start = useStartImport(scope, () => undefined);
  const [error, setError] = useState<Error>();
  const [isReading, setReading] = useState(false);
  const canStart = settings.dryRun ? file !== undefined : state === 'completed' && settings.format === 'csv';
  if (!canStart || settings.invalidValues === 'omit' || !errors.some(couldOmit)) return null;

  async function begin(): Promise<void> {
    setError(undefined);
    setReading(true);
    try {
      const content = settings.dryRun && file ? file : await rejectedFile(scope, one.id);
      // Files of rejected lines have commas.
      const { delimiter, ...rest } = settings;
      const kept = settings.dryRun && delimiter ? { delimiter } : {};
      const omitting: ImportSettings = { ...rest, ...kept, invalidValues: 'omit' };
      onStarted(await start.mutateAsync({ file: content, settings: omitting }));
    } catch (reason) {
      setError(reason as Error);
    } finally {
      setReading(false);
    }
  }

  return (
    <>
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="light" loading={isReading} onClick={begin}>
          {t.imports.omit}
        </Button>
        <span className={classes.hint}>{settings.dryRun ? t.imports.omitDryRunNote : t.imports.omitNote}</span>
      </Group>
      {error && (
        <Alert color="red" role="alert" mt="xs" title={t.imports.notStarted}>
          {error.message}.
        </Alert>
      )}
    </>
  );
}
