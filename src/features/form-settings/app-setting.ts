import { ObjectId } from 'mongodb';
import { z } from 'zod';
import { FieldConditions, type FieldDefinition } from '../../core/fields/definition.ts';
import { schemaOf } from '../../platform/database/mongoose.ts';
import { Timestamp } from '../../platform/http/validation.ts';
import { code } from '../../platform/languages/problems.ts';
import type { Issue } from '../../platform/languages/reasons.ts';

/** Whether SMTP_URL is set, and for emails with links PUBLIC_URL. */
export type MailAbilities = Record<'mail' | 'links', boolean>;

/** The rules of a setting beside its schema. */
interface Rules<Value> {
  /** Returns the ability without which the service refuses the value. */
  needs?(value: Value): keyof MailAbilities | undefined;
  /** Returns whether the value leads to emails about events of records. */
  needsEvents?(value: Value): boolean;
  /**
   * Resolves with the problems of a sent value, with paths within it.
   * @param readFields resolves with the fields of the newest schema
   * @param stored: with the old value
   */
  check?(
    value: Value,
    readFields: () => Promise<ReadonlyMap<string, FieldDefinition>>,
    stored: () => Promise<Value | undefined>,
  ): Promise<Issue[]>;
  /** Returns what a response shows. Default: the value. */
  show?(value: Value): unknown;
}

/**
 * A setting of the forms of apps. The schema of its value gives the member of a request, of a
 * response and of the document.
 * @typeParam Value as stored: the output of `request`, unless the service replaces it
 */
export interface AppSetting<Request = unknown, Response = unknown, Value = unknown> extends Rules<Value> {
  readonly request: Request;
  readonly response: Response;
  /** A path of a Mongoose schema. */
  readonly path: object;
  /** What a response shows while the setting is unset. Undefined: nothing. */
  readonly unset?: null;
}

export type AppSettings = Readonly<Record<string, AppSetting>>;

/** Returns one property of all settings, by their keys. */
export const every = <All extends AppSettings, Name extends keyof AppSetting>(settings: All, name: Name) =>
  Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting[name]])) as {
    [Key in keyof All]: All[Key][Name];
  };

/** The members that are not undefined. */
export type Given<Members> = {
  [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & {
  [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<Members[Key], undefined>;
};

/** Returns the members that are not undefined; undefined when there is none. */
export function given<Members extends object>(members: Members): Given<Members> | undefined {
  const all = Object.entries(members).filter(([, value]) => value !== undefined);
  return all.length > 0 ? (Object.fromEntries(all) as Given<Members>) : undefined;
}

/** The schema of a member that may be absent. `null` counts as absence. */
export const withDefault = <Sent extends z.ZodType, Default>(value: Sent, initial: Default) =>
  value.nullish().transform((sent) => sent ?? initial);
export const unset = <Sent extends z.ZodType>(value: Sent) => withDefault(value, undefined);

type Unset<Sent extends z.ZodType> = ReturnType<typeof unset<Sent>>;
type StoredValue<Sent> = Exclude<z.output<Sent>, undefined>;

/** A sent value as responses have it: without null. */
type Shown<Sent> = Sent extends readonly (infer Item)[]
  ? Shown<Item>[]
  : Sent extends object
    ? { [Key in keyof Sent]: Shown<Exclude<Sent[Key], null>> }
    : Sent;
type ShownSchema<Sent> = z.ZodType<Shown<z.input<Sent>>, Shown<z.input<Sent>>>;

/** A setting with a default, which is stored. */
export function orDefault<Sent extends z.ZodType>(value: Sent, initial: z.output<Sent>) {
  const request = withDefault(value, initial);
  const { shown, path } = derive(value);
  const setting = { request, response: shown, path: { type: path, required: true } };
  return setting as AppSetting<typeof request, ShownSchema<Sent>, z.output<Sent>>;
}

/** A setting that responses show as null while it is unset. */
export function orNull<Sent extends z.ZodType>(value: Sent) {
  const { shown, path } = derive(value);
  const setting = { request: unset(value), response: shown.nullable(), path, unset: null };
  return setting as AppSetting<Unset<Sent>, z.ZodNullable<ShownSchema<Sent>>, StoredValue<Sent>>;
}

/** The rules of a setting, and what its schema cannot give. */
interface Own<Response, Value> extends Rules<Value> {
  /** Of the member of responses. */
  description: string;
  /** Of the member of requests. */
  example?: unknown;
  response?: Response;
  stored?: z.ZodType<Value | undefined>;
}

/** A setting that responses do not show while it is unset. */
export function orAbsent<
  Sent extends z.ZodType,
  Response extends z.ZodType = ShownSchema<Sent>,
  Value = StoredValue<Sent>,
>(value: Sent, { description, example, response, stored, ...rules }: Own<Response, Value>) {
  const request = unset(value);
  const setting = {
    request: example === undefined ? request : request.meta({ example }),
    response: (response ?? derive(value).shown).optional().meta({ description }),
    path: derive(stored ?? value).path,
    ...rules,
  };
  return setting as AppSetting<Unset<Sent>, z.ZodOptional<Response>, Value>;
}

export const StoredId = z.instanceof(ObjectId);

interface Derived {
  shown: z.ZodType;
  path: object;
  isOptional?: true;
}

/** Returns the schema of a value in responses, without its checks, and its path. */
function derive(sent: unknown): Derived {
  if (sent === StoredId) return { shown: StoredId, path: ObjectId };
  if (sent === FieldConditions) return { shown: FieldConditions, path: Object };
  if (sent instanceof z.ZodPipe) return derive(sent.in);
  if (sent instanceof z.ZodOptional || sent instanceof z.ZodNullable) {
    return { ...derive(sent.unwrap()), isOptional: true };
  }
  if (sent instanceof z.ZodISODateTime) return { shown: Timestamp, path: Date };
  if (sent instanceof z.ZodString) return { shown: z.string(), path: String };
  if (sent instanceof z.ZodEnum) return { shown: sent, path: String };
  if (sent instanceof z.ZodNumber) return { shown: z.int(), path: Number };
  if (sent instanceof z.ZodBoolean) return { shown: z.boolean(), path: Boolean };
  if (sent instanceof z.ZodRecord) return { shown: z.record(z.string(), derive(sent.valueType).shown), path: Object };
  if (sent instanceof z.ZodArray) {
    const { shown, path } = derive(sent.element);
    return { shown: z.array(shown), path: [path] };
  }
  if (!(sent instanceof z.ZodObject)) throw new Error('no response can be derived from the schema of a setting');
  const members = Object.entries(sent.shape).map(([name, member]) => ({ name, ...derive(member) }));
  const shown = members.map(({ name, shown, isOptional }) => [name, isOptional ? shown.optional() : shown]);
  const paths = members.map(({ name, path, isOptional }) => [name, isOptional ? path : { type: path, required: true }]);
  return {
    shown: z.strictObject(Object.fromEntries(shown)),
    path: schemaOf<object>(Object.fromEntries(paths)),
  };
}

export const text = (max: number) => z.string(code('notText')).min(1).max(max, code('tooLong', { max }));

export const count = (max: number) =>
  z
    .int(code('notWholeBetween', { min: 1, max }))
    .min(1)
    .max(max);

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, code('notThis', { values: values.join(', ') }));
