package restante.junit;

/** Sender or recipient; an SMS has a phone number instead of an address. */
public final class Contact {
    private String name;
    private String email;
    private String phone;

    private Contact() {}

    /**
     * Returns the displayed name.
     *
     * @return the name; empty when there is none
     */
    public String name() {
        return name == null ? "" : name;
    }

    /**
     * Returns the e-mail address or the phone number.
     *
     * @return the address; empty when there is none
     */
    public String address() {
        return email != null ? email : phone != null ? phone : "";
    }

    /** Returns the name and the address. */
    @Override
    public String toString() {
        return name().isEmpty() ? address() : name() + " <" + address() + ">";
    }
}
