import { Redirect } from 'wouter';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { appPath, type Scope, usersPath } from '../users/scope.ts';
import { useKeepsSubmissions } from './queries.ts';

/** Goes to the first page of an app: its inbox, or its users if it keeps no submissions. */
export function StartPage({ scope }: { scope: Pick<Scope, 'sourceAppId'> }) {
  const keeps = useKeepsSubmissions(scope.sourceAppId);
  if (keeps === undefined) return <PageSkeleton />;
  return <Redirect to={keeps ? appPath(scope, 'inbox') : usersPath(scope)} replace />;
}
