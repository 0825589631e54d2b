import type { Expression, Template } from './tree.ts'

/** A template as its author would write it, on one line. `write`: what stands for an expression, if not its source. */
export function templateSource(
  template: Template,
  write: (expression: Expression) => string | undefined = () => undefined,
): string {
  switch (template.kind) {
    case 'literal':
      return typeof template.value === 'string' ? template.value : JSON.stringify(template.value)
    case 'expression':
      return write(template.expression) ?? asWritten(template.expression)
    case 'text':
      return template.parts
        .map((part) => (typeof part === 'string' ? part : (write(part) ?? asWritten(part))))
        .join('')
    case 'list':
      return `[${template.items.map((item) => templateSource(item, write)).join(', ')}]`
    case 'object':
      return `{ ${template.entries.map(([key, value]) => `${key}: ${templateSource(value, write)}`).join(', ')} }`
  }
}

function asWritten({ source }: Expression): string {
  return `\${{ ${source} }}`
}
