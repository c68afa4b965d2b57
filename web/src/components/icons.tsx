import type { ReactNode } from 'react';

// Defined here because the dashboard needs only about 25 icons. They are decorative: the text or
// the accessible name beside an icon carries the meaning.

interface IconProps {
  size?: number;
}

function icon(paths: ReactNode) {
  return ({ size = 18 }: IconProps) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {paths}
    </svg>
  );
}

export const UsersIcon = icon(
  <>
    <circle cx="9" cy="8" r="3.5" />
    <path d="M2.5 20c.6-3.6 3.2-5.5 6.5-5.5s5.9 1.9 6.5 5.5M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.9c2 .7 3.2 2.5 3.5 5.1" />
  </>,
);
export const AppsIcon = icon(<path d="M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z" />);
export const TableIcon = icon(<path d="M4 5h16v14H4zM4 9.7h16M4 14.3h16M10 5v14" />);
export const WebhookIcon = icon(<path d="M4 12h11M11 7l5 5-5 5M20 4v16" />);
export const RepeatIcon = icon(<path d="M19 12a7 7 0 1 1-2.2-5.1L19 9M19 4v5h-5" />);
export const SearchIcon = icon(
  <>
    <circle cx="10.5" cy="10.5" r="6.5" />
    <path d="m20 20-4.7-4.7" />
  </>,
);
export const DownloadIcon = icon(<path d="M12 4v11M7.5 11l4.5 4.5 4.5-4.5M4 20h16" />);
export const UploadIcon = icon(<path d="M12 15.5v-11M7.5 8.5 12 4l4.5 4.5M4 20h16" />);
export const ColumnsIcon = icon(<path d="M4 5h16v14H4zM9.5 5v14M14.8 5v14" />);
export const FilterIcon = icon(<path d="M4 5h16l-6.2 7.4V19l-3.6-2v-4.6z" />);
export const ViewsIcon = icon(<path d="M6 4h12v16l-6-4.2L6 20z" />);
export const ChartIcon = icon(<path d="M4 20h16M7 20v-6M12 20V6M17 20v-9" />);
export const PenIcon = icon(<path d="m4 20 1-4.5L16.5 4l3.5 3.5L8.5 19zM14 6.5l3.5 3.5" />);
export const LockIcon = icon(<path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3" />);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const TrashIcon = icon(<path d="M4 7h16M9.5 7V4.5h5V7M6 7l1 13h10l1-13M10 11v5.5M14 11v5.5" />);
export const CopyIcon = icon(<path d="M9 9h11v11H9zM15 9V4H4v11h5" />);
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const CrossIcon = icon(<path d="m6 6 12 12M18 6 6 18" />);
export const InfoIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 11v5.5M12 7.6h.01" />
  </>,
);
export const HeldIcon = icon(
  <path d="M12 3 4.5 6v6c0 4.5 3.2 7.6 7.5 9 4.3-1.4 7.5-4.5 7.5-9V6zM9.5 9.5v5M14.5 9.5v5" />,
);
export const UpIcon = icon(<path d="m6 14 6-6 6 6" />);
export const DownIcon = icon(<path d="m6 10 6 6 6-6" />);
export const LeftIcon = icon(<path d="m14 6-6 6 6 6" />);
export const RightIcon = icon(<path d="m10 6 6 6-6 6" />);
export const GripIcon = icon(<path d="M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01" />);
export const PageBreakIcon = icon(<path d="M6 3v4.5h12V3M6 21v-4.5h12V21M3 12h3M10.5 12h3M18 12h3" />);
export const PersonIcon = icon(
  <>
    <circle cx="12" cy="8" r="4" />
    <path d="M4.5 20.5c.8-4 3.7-6 7.5-6s6.7 2 7.5 6" />
  </>,
);
export const KeyIcon = icon(
  <>
    <circle cx="8" cy="15.5" r="4" />
    <path d="m11 12.5 8.5-8.5M16 7.5l3 3" />
  </>,
);
export const LogIcon = icon(<path d="M6 3.5h12v17H6zM9 8h6M9 12h6M9 16h3" />);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4" />
  </>,
);
export const MoonIcon = icon(<path d="M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z" />);
export const SettingsIcon = icon(
  <path d="M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM9 14.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z" />,
);
export const ShareIcon = icon(<path d="M12 15V4M8 7.5 12 3.5l4 4M5 12v8h14v-8" />);
export const FlowIcon = icon(<path d="M13 3 5 14h6l-1 7 8-11h-6z" />);
export const StarIcon = icon(<path d="m12 4 2.5 5.2 5.5.8-4 4 1 5.6-5-2.7-5 2.7 1-5.6-4-4 5.5-.8z" />);
export const OverviewIcon = icon(<path d="M4 11.5 12 4l8 7.5M6.5 10v9.5h11V10M10.5 19.5v-5h3v5" />);
export const ReplyIcon = icon(<path d="M10 5 4 11l6 6M4 11h9a7 7 0 0 1 7 7v1" />);
export const MenuIcon = icon(<path strokeWidth="3" d="M12 5.5h.01M12 12h.01M12 18.5h.01" />);
export const MailIcon = icon(<path d="M3.5 6h17v12h-17zM4 7l8 6 8-6" />);
export const InboxIcon = icon(<path d="M4 13 6.5 5h11L20 13v6H4zM4 13h5l1.5 2.5h3L15 13h5" />);

/** The logo of the service. */
export function Logo({ size = 28 }: IconProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#3b5bdb" />
      <path d="M9 10h14M9 16h14M9 22h8" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}
