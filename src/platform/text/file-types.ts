/** A type of file: the extensions of names, and the media type of its content. */
interface FileType {
  extensions: readonly string[];
  mediaType: string;
}

/** The types that fields of files may allow, by the name that definitions use (spec 4.14). */
export const FILE_TYPES = {
  pdf: { extensions: ['pdf'], mediaType: 'application/pdf' },
  png: { extensions: ['png'], mediaType: 'image/png' },
  jpeg: { extensions: ['jpg', 'jpeg', 'jpe', 'jfif'], mediaType: 'image/jpeg' },
  gif: { extensions: ['gif'], mediaType: 'image/gif' },
  webp: { extensions: ['webp'], mediaType: 'image/webp' },
  heic: { extensions: ['heic', 'heif'], mediaType: 'image/heic' },
  txt: { extensions: ['txt'], mediaType: 'text/plain' },
  csv: { extensions: ['csv'], mediaType: 'text/csv' },
  docx: {
    extensions: ['docx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  },
  xlsx: { extensions: ['xlsx'], mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  pptx: {
    extensions: ['pptx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  },
  odt: { extensions: ['odt'], mediaType: 'application/vnd.oasis.opendocument.text' },
  ods: { extensions: ['ods'], mediaType: 'application/vnd.oasis.opendocument.spreadsheet' },
  odp: { extensions: ['odp'], mediaType: 'application/vnd.oasis.opendocument.presentation' },
  zip: { extensions: ['zip'], mediaType: 'application/zip' },
  mp3: { extensions: ['mp3'], mediaType: 'audio/mpeg' },
  m4a: { extensions: ['m4a'], mediaType: 'audio/mp4' },
  wav: { extensions: ['wav'], mediaType: 'audio/wav' },
  mp4: { extensions: ['mp4', 'm4v'], mediaType: 'video/mp4' },
  mov: { extensions: ['mov'], mediaType: 'video/quicktime' },
  webm: { extensions: ['webm'], mediaType: 'video/webm' },
} as const satisfies Record<string, FileType>;

export type FileTypeName = keyof typeof FILE_TYPES;

export const FILE_TYPE_NAMES = Object.keys(FILE_TYPES) as [FileTypeName, ...FileTypeName[]];

/** Returns the type of the extension of a name; undefined: of none. */
export function typeOfName(name: string): FileTypeName | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return FILE_TYPE_NAMES.find((type) => (FILE_TYPES[type].extensions as readonly string[]).includes(extension));
}
