import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { appPath, type Scope } from '../users/scope.ts';
import { COUNTED, ofEmail, submissionsOfQuery } from './queries.ts';

/** Links the submissions of a person, with their number. */
export function SubmissionsLink({ scope, email }: { scope: Scope; email: string }) {
  const { data: count } = useQuery(submissionsOfQuery(scope, email));
  if (count === undefined) return null;
  const href = `${appPath(scope, 'inbox')}?where=${encodeURIComponent(ofEmail(email))}&done=all`;
  return (
    <Link href={href} className="text-link">
      {t.inbox.show(formatNumber(count), count === COUNTED)}
    </Link>
  );
}
