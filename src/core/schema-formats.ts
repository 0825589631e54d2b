/** The forms of a text that JSON Schema has a name for and every schema of a project can use. */
export const standardFormats = [
  'date',
  'time',
  'date-time',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
  'regex',
  'password',
] as const

/** All of them, `duration` in the way of runbooks included. */
export const schemaFormats: readonly string[] = [...standardFormats, 'duration']
