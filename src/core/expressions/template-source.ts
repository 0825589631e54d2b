import type { Template } from './tree.ts'

/** A template as its author would write it, on one line. */
export function templateSource(template: Template): string {
  switch (template.kind) {
    case 'literal':
      return typeof template.value === 'string' ? template.value : JSON.stringify(template.value)
    case 'expression':
      return `\${{ ${template.expression.source} }}`
    case 'text':
      return template.parts
        .map((part) => (typeof part === 'string' ? part : `\${{ ${part.source} }}`))
        .join('')
    case 'list':
      return `[${template.items.map(templateSource).join(', ')}]`
    case 'object':
      return `{ ${template.entries.map(([key, value]) => `${key}: ${templateSource(value)}`).join(', ')} }`
  }
}
