import { Modal } from "../shell/modal.tsx";
import { StoredExport } from "./export-panel.tsx";

export const ExportDialog = () => (
  <Modal id="export" title="Export">
    <StoredExport />
  </Modal>
);
