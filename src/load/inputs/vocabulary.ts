/** The words of JSON Schema that the inputs of a runbook can use: draft 07, as far as it makes sense for them. */

/** What a keyword takes. */
export type KeywordValue =
  | 'anything'
  | 'text'
  | 'flag'
  | 'number'
  | 'positive'
  | 'count'
  | 'names'
  | 'list'
  | 'some'
  | 'type'
  | 'pattern'
  | 'format'
  | 'reference'
  | 'draft'
  | 'schema'
  | 'schemas'
  | 'schema-map'
  | 'pattern-map'
  | 'schema-or-list'

export const vocabulary: ReadonlyMap<string, KeywordValue> = new Map<string, KeywordValue>([
  ['type', 'type'],
  ['enum', 'some'],
  ['const', 'anything'],
  ['title', 'text'],
  ['description', 'text'],
  ['default', 'anything'],
  ['examples', 'list'],
  ['example', 'anything'],
  ['deprecated', 'flag'],
  ['readOnly', 'flag'],
  ['writeOnly', 'flag'],
  ['$comment', 'text'],
  ['$schema', 'draft'],
  ['$ref', 'reference'],
  ['definitions', 'schema-map'],
  ['$defs', 'schema-map'],
  ['allOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'positive'],
  ['minLength', 'count'],
  ['maxLength', 'count'],
  ['pattern', 'pattern'],
  ['format', 'format'],
  ['items', 'schema-or-list'],
  ['additionalItems', 'schema'],
  ['minItems', 'count'],
  ['maxItems', 'count'],
  ['uniqueItems', 'flag'],
  ['contains', 'schema'],
  ['properties', 'schema-map'],
  ['patternProperties', 'pattern-map'],
  ['additionalProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['required', 'names'],
  ['minProperties', 'count'],
  ['maxProperties', 'count'],
])

/** What other drafts have, or this one for other purposes, and what to write instead. */
export const unsupported: ReadonlyMap<string, string> = new Map([
  ['$id', 'leave it out: no other schema refers to it'],
  ['id', 'leave it out: no other schema refers to it'],
  ['$anchor', 'name the schema under definitions'],
  ['$dynamicRef', 'name the schema under definitions, and use $ref'],
  ['$dynamicAnchor', 'name the schema under definitions'],
  ['$recursiveRef', 'name the schema under definitions, and use $ref'],
  ['$recursiveAnchor', 'name the schema under definitions'],
  ['$vocabulary', 'leave it out'],
  ['prefixItems', 'items takes a list of schemas'],
  ['minContains', 'use contains'],
  ['maxContains', 'use contains'],
  ['dependencies', 'use if and then'],
  ['dependentRequired', 'use if and then'],
  ['dependentSchemas', 'use if and then'],
  ['unevaluatedProperties', 'use additionalProperties'],
  ['unevaluatedItems', 'use additionalItems'],
  ['contentEncoding', 'leave it out: nothing decodes inputs'],
  ['contentMediaType', 'leave it out: nothing decodes inputs'],
  ['contentSchema', 'leave it out: nothing decodes inputs'],
  ['nullable', 'write type: [string, "null"]'],
])

export const schemaTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
