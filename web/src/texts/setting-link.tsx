/**
 * The name of a setting of the service, as a link to the page of the documentation that explains
 * it. The service serves that page as Markdown; browsers that can do so scroll to the name.
 */
export function SettingLink({ name }: { name: string }) {
  return (
    <a className="text-link" href={`/docs/operations.md#:~:text=${name}`} target="_blank" rel="noreferrer">
      {name}
    </a>
  );
}
