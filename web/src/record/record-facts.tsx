import type { ReactNode } from 'react';
import type { DetailedRecord } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { t } from '../texts/texts.ts';
import classes from './record-facts.module.css';

interface RecordFactsProps {
  record: Pick<DetailedRecord, 'createdAt' | 'updatedAt' | 'schemaVersion' | 'confirmedAt' | 'consents'>;
  newestVersion: number | undefined;
  /** Whether the app asks people to confirm their address; undefined until that is known. */
  asksToConfirm: boolean | undefined;
  /** When its person last changed it, as far as the history tells. */
  changedByPerson: string | undefined;
  /** The link to its submissions, if the app keeps them. */
  submissions: ReactNode;
}

/** The metadata of a record. */
export function RecordFacts({ record, newestVersion, asksToConfirm, changedByPerson, submissions }: RecordFactsProps) {
  const { createdAt, updatedAt, schemaVersion, confirmedAt, consents = [] } = record;
  const isNewest = newestVersion === undefined || newestVersion === schemaVersion;
  return (
    <section aria-label={t.record.facts}>
      <dl className={classes.facts}>
        <Fact name={t.common.created}>
          <Time at={createdAt} />
        </Fact>
        <Fact name={t.common.updated}>
          <Time at={updatedAt} />
        </Fact>
        {changedByPerson !== undefined && (
          <Fact name={t.record.changedByPerson}>
            <Time at={changedByPerson} />
          </Fact>
        )}
        <Fact name={t.record.schemaVersion}>
          {isNewest ? schemaVersion : t.record.olderVersion(schemaVersion, newestVersion)}
        </Fact>
        <Fact name={t.record.confirmation}>
          {confirmedAt !== undefined
            ? t.record.confirmed(<Time at={confirmedAt} />)
            : asksToConfirm !== undefined && (asksToConfirm ? t.record.notConfirmed : t.record.notAskedFor)}
        </Fact>
        {submissions && <Fact name={t.inbox.list}>{submissions}</Fact>}
        <Fact name={t.record.consents}>
          {consents.length > 0 ? t.common.changes(consents.length) : t.record.noConsents}
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}
