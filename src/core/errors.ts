/** Errors are classes by the boundary they crossed; messages say what was got and what is allowed. */
abstract class BoundaryError extends Error {
  abstract readonly code: string;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
  constructor(message: string, detail: Readonly<Record<string, string | number | boolean>> = {}) {
    super(message);
    this.name = new.target.name;
    this.detail = detail;
  }
}
export class ConfigError extends BoundaryError { readonly code = "config"; }
export class LinkError extends BoundaryError { readonly code = "link"; }
export class TaskError extends BoundaryError { readonly code = "task"; }
export class ToolError extends BoundaryError { readonly code = "tool"; }
export class SandboxError extends BoundaryError { readonly code = "sandbox"; }
export class HarnessError extends BoundaryError { readonly code = "harness"; }
export class KernelError extends BoundaryError { readonly code = "kernel"; }
export class DeviceLostError extends BoundaryError { readonly code = "device-lost"; }
/** Of a file that was handed over. */
export class FileError extends BoundaryError { readonly code = "file"; }
export class PolicyError extends BoundaryError { readonly code = "policy"; }

export { BoundaryError };
